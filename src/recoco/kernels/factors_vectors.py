"""The innermost loops of the factorisations, written with vectors of 64 bytes.

numba's vectoriser keeps sums in memory, repeatedly tests whether arrays overlap, and uses scalar
code for remainders; here sums stay in registers. On any machine, every number is the same as that
of the loop in the docstring, in the same order, with separate multiplications and additions.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

BYTES = 64
# number of sums kept in registers, which leaves registers for the operands
SUMS = 8
TILE = 4
# contiguous columns of wide factors: two vectors of float64
PANEL = 16
INDEX = ir.IntType(64)


def _array(context, builder, kind, value):
    """Return a pointer to the data of an array, its shape, type, and bytes per number."""
    array = context.make_array(kind)(context, builder, value)
    number = context.get_data_type(kind.dtype)
    shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    return array.data, shape, number, context.get_abi_sizeof(number)


def _vector(builder, data, place, kind):
    pointer = builder.gep(data, [place])
    return builder.bitcast(pointer, kind.as_pointer())


def _spread(builder, number, kind):
    """Return a vector with the same number in every lane."""
    if not isinstance(kind, ir.VectorType):
        return number
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, INDEX(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)


@intrinsic
def add_row(typingctx, values, local, first, last, F, base, out, i):
    """for p in range(first, last): out[i] += values[p] * F[base + local[p]].

    Columns are processed 8 vectors at a time. The last vector ends with the last column; it may
    overlap with the one before it, and then starts from the original values.
    """

    def codegen(context, builder, signature, args):
        values, _, number, size = _array(context, builder, signature.args[0], args[0])
        local, _, _, _ = _array(context, builder, signature.args[1], args[1])
        F, _, _, _ = _array(context, builder, signature.args[4], args[4])
        out, (_, columns), _, _ = _array(context, builder, signature.args[6], args[6])
        first, last, base, i = args[2], args[3], args[5], args[7]
        result = builder.mul(i, columns)

        def add(begin, count, lanes, before=None):
            """Add ``count`` vectors of columns from ``begin``; ``before`` is the previous one."""
            kind = ir.VectorType(number, lanes) if lanes > 1 else number
            end = builder.sub(columns, INDEX(lanes))
            places = [builder.add(begin, INDEX(j * lanes)) for j in range(count)]
            places = [
                builder.select(builder.icmp_signed("<", place, end), place, end) for place in places
            ]
            rows = [_vector(builder, out, builder.add(result, place), kind) for place in places]
            sums = [cgutils.alloca_once(builder, kind) for _ in range(count)]
            for total, row in zip(sums, rows, strict=True):
                builder.store(builder.load(row, align=size), total)
            if before is not None:
                builder.store(before, sums[-1])
            with cgutils.for_range_slice(builder, first, last, INDEX(1), INDEX) as (p, _):
                column = builder.zext(builder.load(builder.gep(local, [p])), INDEX)
                source = builder.mul(builder.add(base, column), columns)
                factor = _spread(builder, builder.load(builder.gep(values, [p])), kind)
                for total, place in zip(sums, places, strict=True):
                    f = _vector(builder, F, builder.add(source, place), kind)
                    product = builder.fmul(factor, builder.load(f, align=size))
                    builder.store(builder.fadd(builder.load(total), product), total)
            for total, row in zip(sums, rows, strict=True):
                builder.store(builder.load(total), row, align=size)

        def otherwise(lanes):
            """Use two vectors with half the lanes if there are fewer columns than lanes."""
            enough = builder.icmp_signed(">=", columns, INDEX(lanes))
            with builder.if_else(enough) as (then, rest):
                with then:
                    add(INDEX(0), 2 if lanes > 1 else 4, lanes)
                with rest:
                    if lanes > 4:
                        otherwise(lanes // 2)
                    elif lanes > 1:
                        otherwise(1)

        lanes = BYTES // size
        with builder.if_else(builder.icmp_signed(">=", columns, INDEX(lanes))) as (wide, narrow):
            with wide:
                step = INDEX(SUMS * lanes)
                end = builder.add(result, builder.sub(columns, INDEX(lanes)))
                before = _vector(builder, out, end, ir.VectorType(number, lanes))
                before = builder.load(before, align=size)
                whole = builder.mul(builder.udiv(columns, step), step)
                with cgutils.for_range_slice(builder, INDEX(0), whole, step, INDEX) as (begin, _):
                    add(begin, SUMS, lanes)
                left = builder.sub(columns, whole)
                for count in range(1, SUMS + 1):
                    least, most = INDEX((count - 1) * lanes), INDEX(count * lanes)
                    enough = builder.icmp_signed(">", left, least)
                    fits = builder.and_(enough, builder.icmp_signed("<=", left, most))
                    with builder.if_then(fits):
                        add(whole, count, lanes, before)
            with narrow:
                otherwise(lanes // 2)
        return context.get_dummy_value()

    return types.void(values, local, first, last, F, base, out, i), codegen


@intrinsic
def add_tile(typingctx, x, a, y, b, sums):
    """for q: sums[a + i, b + j, q % 8] += x[a + i, q] * y[b + j, q], for i and j from 0 to 3.

    Parameters
    ----------
    x, y : float64 (multiple of 4, multiple of 8)
    sums : float64 (multiple of 4, multiple of 4, 8)
    """

    def codegen(context, builder, signature, args):
        x, (_, lanes), number, size = _array(context, builder, signature.args[0], args[0])
        y, _, _, _ = _array(context, builder, signature.args[2], args[2])
        sums, (_, m, width), _, _ = _array(context, builder, signature.args[4], args[4])
        kind = ir.VectorType(number, BYTES // size)
        rows = [builder.add(args[1], INDEX(i)) for i in range(TILE)]
        columns = [builder.add(args[3], INDEX(j)) for j in range(TILE)]

        def load(data, row, q):
            place = builder.add(builder.mul(row, lanes), q)
            return builder.load(_vector(builder, data, place, kind), align=size)

        pointers, totals = [], []
        for row in rows:
            for column in columns:
                place = builder.mul(builder.add(builder.mul(row, m), column), width)
                pointers.append(_vector(builder, sums, place, kind))
                totals.append(cgutils.alloca_once(builder, kind))
                builder.store(builder.load(pointers[-1], align=size), totals[-1])
        step = INDEX(kind.count)
        with cgutils.for_range_slice(builder, INDEX(0), lanes, step, INDEX) as (q, _):
            xs = [load(x, row, q) for row in rows]
            ys = [load(y, column, q) for column in columns]
            pairs = [(u, v) for u in xs for v in ys]
            for (u, v), total in zip(pairs, totals, strict=True):
                builder.store(builder.fadd(builder.load(total), builder.fmul(u, v)), total)
        for pointer, total in zip(pointers, totals, strict=True):
            builder.store(builder.load(total), pointer, align=size)
        return context.get_dummy_value()

    return types.void(x, a, y, b, sums), codegen


@intrinsic
def add_four_rows(typingctx, x, a, y, b, rows, sums):
    """Add products of columns a to a + 3 of x and a panel of y, for rows r, s, u, v at a time:

    sums[a + i, b + j] += (x[r] y[r] + x[s] y[s]) + (x[u] y[u] + x[v] y[v]), where x[r] stands
    for x[a // 16, r, a % 16 + i] and y[r] for y[b // 16, r, j], for i from 0 to 3, j to 15.

    Parameters
    ----------
    x, y : float64 (panels, at least ``rows``, 16), where 4 divides ``rows``
    a, b : int, multiples of 4 and of 16
    sums : float64 (multiple of 4, multiple of 16)
    """

    def codegen(context, builder, signature, args):
        x, (_, height, width), number, size = _array(context, builder, signature.args[0], args[0])
        y, _, _, _ = _array(context, builder, signature.args[2], args[2])
        sums, (_, m), _, _ = _array(context, builder, signature.args[5], args[5])
        a, b, rows = args[1], args[3], args[4]
        kind = ir.VectorType(number, BYTES // size)
        steps = [INDEX(j) for j in range(0, PANEL, kind.count)]
        # panel a // 16 begins at (a - a % 16) * height
        inside = builder.and_(a, INDEX(PANEL - 1))
        x_first = builder.add(builder.mul(builder.sub(a, inside), height), inside)
        y_first = builder.mul(b, height)

        pointers, totals = [], []
        for i in range(TILE):
            begin = builder.add(builder.mul(builder.add(a, INDEX(i)), m), b)
            for step in steps:
                pointers.append(_vector(builder, sums, builder.add(begin, step), kind))
                totals.append(cgutils.alloca_once(builder, kind))
                builder.store(builder.load(pointers[-1], align=size), totals[-1])
        with cgutils.for_range_slice(builder, INDEX(0), rows, INDEX(4), INDEX) as (r, _):
            places = [builder.mul(builder.add(r, INDEX(s)), width) for s in range(4)]
            ys = []
            for step in steps:
                column = builder.add(y_first, step)
                four = [_vector(builder, y, builder.add(column, place), kind) for place in places]
                ys.append([builder.load(pointer, align=size) for pointer in four])
            for i in range(TILE):
                column = builder.add(x_first, INDEX(i))
                four = [builder.gep(x, [builder.add(column, place)]) for place in places]
                xs = [_spread(builder, builder.load(pointer), kind) for pointer in four]
                for total, other in zip(totals[len(steps) * i :], ys, strict=False):
                    p, q, u, v = (builder.fmul(*pair) for pair in zip(xs, other, strict=True))
                    both = builder.fadd(builder.fadd(p, q), builder.fadd(u, v))
                    builder.store(builder.fadd(builder.load(total), both), total)
        for pointer, total in zip(pointers, totals, strict=True):
            builder.store(builder.load(total), pointer, align=size)
        return context.get_dummy_value()

    return types.void(x, a, y, b, rows, sums), codegen


@intrinsic
def combine_tile(typingctx, side, small, b, result):
    """for q: result[b + j, q] = sum over a of small[a, b + j] * side[a, q], for j from 0 to 3.

    Parameters
    ----------
    side : float (at least k, lanes), where 4 vectors divide the lanes
    small : float (k, multiple of 4)
    result : float (multiple of 4, lanes), overwritten
    """

    def codegen(context, builder, signature, args):
        side, (_, lanes), number, size = _array(context, builder, signature.args[0], args[0])
        small, (k, m), _, _ = _array(context, builder, signature.args[1], args[1])
        result, _, _, _ = _array(context, builder, signature.args[3], args[3])
        kind = ir.VectorType(number, BYTES // size)
        columns = [builder.add(args[2], INDEX(j)) for j in range(TILE)]
        totals = [cgutils.alloca_once(builder, kind) for _ in range(TILE * TILE)]

        def places(row, q):
            first = builder.add(builder.mul(row, lanes), q)
            return [builder.add(first, INDEX(v * kind.count)) for v in range(TILE)]

        step = INDEX(TILE * kind.count)
        with cgutils.for_range_slice(builder, INDEX(0), lanes, step, INDEX) as (q, _):
            for total in totals:
                builder.store(_spread(builder, number(0.0), kind), total)
            with cgutils.for_range_slice(builder, INDEX(0), k, INDEX(1), INDEX) as (a, _):
                values = [_vector(builder, side, place, kind) for place in places(a, q)]
                values = [builder.load(value, align=size) for value in values]
                for j, column in enumerate(columns):
                    pointer = builder.gep(small, [builder.add(builder.mul(a, m), column)])
                    factor = _spread(builder, builder.load(pointer), kind)
                    for total, value in zip(totals[TILE * j :], values, strict=False):
                        product = builder.fmul(factor, value)
                        builder.store(builder.fadd(builder.load(total), product), total)
            for j, column in enumerate(columns):
                for total, place in zip(totals[TILE * j :], places(column, q), strict=False):
                    pointer = _vector(builder, result, place, kind)
                    builder.store(builder.load(total), pointer, align=size)
        return context.get_dummy_value()

    return types.void(side, small, b, result), codegen


def _tile_of(context, builder, kind, value, i, t, c):
    """Return pointers to numbers c to c + 3 of start t in rows i to i + 3 of (rows, T, k)."""
    data, (_, starts, k), number, size = _array(context, builder, kind, value)
    first = builder.add(builder.mul(builder.add(builder.mul(i, starts), t), k), c)
    step = builder.mul(starts, k)
    places = [builder.add(first, builder.mul(INDEX(r), step)) for r in range(TILE)]
    four = ir.VectorType(number, TILE)
    return [_vector(builder, data, place, four) for place in places], number, size


def _side_of(context, builder, kind, value, c, r):
    """Return pointers to numbers r to r + 3 in rows c to c + 3 of an array (k, lanes)."""
    data, (_, lanes), number, size = _array(context, builder, kind, value)
    rows = [builder.mul(builder.add(c, INDEX(j)), lanes) for j in range(TILE)]
    four = ir.VectorType(number, TILE)
    return [_vector(builder, data, builder.add(row, r), four) for row in rows], number, size


def _transposed(builder, rows):
    """Transpose four vectors of four numbers."""

    def pick(x, y, places):
        mask = ir.Constant(ir.VectorType(ir.IntType(32), TILE), places)
        return builder.shuffle_vector(x, y, mask)

    low = [pick(rows[i], rows[i + 1], [0, 4, 1, 5]) for i in (0, 2)]
    high = [pick(rows[i], rows[i + 1], [2, 6, 3, 7]) for i in (0, 2)]
    return [pick(*pair, places) for pair in (low, high) for places in ([0, 1, 4, 5], [2, 3, 6, 7])]


@intrinsic
def turn_tile(typingctx, F, i, t, c, side, r):
    """side[c + b, r + a] = F[i + a, t, c + b] for a and b from 0 to 3."""

    def codegen(context, builder, signature, args):
        kinds = signature.args
        sources, number, size = _tile_of(context, builder, kinds[0], args[0], *args[1:4])
        targets, wanted, width = _side_of(context, builder, kinds[4], args[4], args[3], args[5])
        rows = [builder.load(source, align=size) for source in sources]
        for value, target in zip(_transposed(builder, rows), targets, strict=True):
            if wanted != number:
                value = builder.fpext(value, ir.VectorType(wanted, TILE))
            builder.store(value, target, align=width)
        return context.get_dummy_value()

    return types.void(F, i, t, c, side, r), codegen


@intrinsic
def return_tile(typingctx, side, r, F, i, t, c):
    """F[i + a, t, c + b] = side[c + b, r + a] for a and b from 0 to 3."""

    def codegen(context, builder, signature, args):
        kinds = signature.args
        sources, _, size = _side_of(context, builder, kinds[0], args[0], args[5], args[1])
        targets, _, _ = _tile_of(context, builder, kinds[2], args[2], *args[3:6])
        rows = [builder.load(source, align=size) for source in sources]
        for value, target in zip(_transposed(builder, rows), targets, strict=True):
            builder.store(value, target, align=size)
        return context.get_dummy_value()

    return types.void(side, r, F, i, t, c), codegen

"""Texts that anybody may have written."""

import pytest

from recoco.core.texts import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain, naïve and 漢字", "plain, naïve and 漢字"),
        ("two\nlines\tand tabs", "two\nlines\tand tabs"),
        ("a wide\u3000space", "a wide\u3000space"),
        ("lone \udc80 and \ud83d", "lone \\udc80 and \\ud83d"),
        ("zero\0, bell\a, \x1b[31mred\x7f\x9b", "zero\\x00, bell\\x07, \\x1b[31mred\\x7f\\x9b"),
        ("x" * 3000, "x" * 1998 + " …"),
    ],
)
def test_a_text_fits_every_file(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown
    printable(text).encode("utf-8")

"""The report: every printed cell beside what was measured, as a site, tables and figures."""

from recoco.report.verdicts import summary_line


def render(
    compare_dirs,
    scores,
    characteristics,
    provenance,
    config_dir,
    out_dir,
    timings=None,
    with_reference=None,
):
    """Write the report into ``out_dir`` and return how many cells have each verdict.

    Parameters
    ----------
    compare_dirs : dict of str to Path
        Folder with the compare outputs of each paper that the report covers.
    scores : list of Path
        Score tables (parquet), one per dataset.
    characteristics : list of Path
        Characteristics (json) of the prepared datasets.
    provenance : Path
        What was run, where, and from which sources (json).
    config_dir : Path
        Folder with ``papers/``, ``methods.yaml`` and ``method_cards.yaml``.
    out_dir : Path
        Folder to write. What an earlier rendering left there and this one does not write is
        removed, except README.md, bench/ and reference/.
    timings : Path, optional
        Seconds of every job (csv).
    with_reference : Path, optional
        Project whose reference run is shown, marked as such, where there is no number here.

    Returns
    -------
    dict of str to int
        Number of printed cells by their verdict here; ``absent`` counts those of papers not
        covered.
    """
    from recoco.report.site import render_site

    return render_site(
        out_dir,
        compare_dirs=compare_dirs,
        scores=scores,
        characteristics=characteristics,
        provenance=provenance,
        config_dir=config_dir,
        timings=timings,
        with_reference=with_reference,
    )


__all__ = ["render", "summary_line"]

"use strict";
/* The switch that hides what is from the reference run; it is there if anything is. */
(() => {
  const KEY = "recoco-only-here";
  const onlyHere = document.getElementById("only-here");
  if (!onlyHere) return;

  /** Let a square show the verdict here, or the one of the reference. */
  const turn = (square, own) => {
    const { verdict, ownVerdict } = square.dataset;
    square.classList.replace(`v-${verdict}`, `v-${ownVerdict}`);
    square.classList.toggle("known", !own);
    const { title, textContent } = square;
    Object.assign(square, { title: square.dataset.own, textContent: square.dataset.ownLetter });
    square.setAttribute("aria-label", square.title);
    Object.assign(square.dataset, {
      verdict: ownVerdict, ownVerdict: verdict, own: title, ownLetter: textContent,
    });
  };

  let shown = false;
  const apply = () => {
    document.documentElement.classList.toggle("only-here", onlyHere.checked);
    if (shown === onlyHere.checked) return;
    shown = onlyHere.checked;
    for (const square of document.querySelectorAll("#map .sq[data-own]")) turn(square, shown);
  };

  try {
    onlyHere.checked = localStorage.getItem(KEY) === "yes";
  } catch {
    // Pages opened from a file may have no storage; the choice then lasts until the page is closed.
  }
  onlyHere.addEventListener("change", () => {
    apply();
    try {
      if (onlyHere.checked) localStorage.setItem(KEY, "yes");
      else localStorage.removeItem(KEY);
    } catch {
      // As above.
    }
  });
  apply();
})();

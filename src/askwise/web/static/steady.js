// @ts-check
// Nothing moves under a finger: what a question shows keeps the height that the highest one before it needed.

/** @typedef {import("./types.d.ts").CardsPage} CardsPage */
/** @typedef {{name: string, elements: HTMLElement[], layout: string, heights: number[]}} Shown  heights by element, of one layout */
/** @type {Map<CardsPage, Shown>} */
const pages = new Map();

/**
 * Makes each element as high as it ever was in this layout.
 * @param {CardsPage} page
 * @param {string} name  of the layout; another one, or another size of the window, starts anew
 * @param {HTMLElement[]} elements  always the same number of them in one layout
 */
export function keepHeights(page, name, elements) {
  const layout = `${name} ${elements.length} ${innerWidth} ${innerHeight}`;
  const before = pages.get(page);
  const highest = before?.layout === layout ? before.heights : [];
  for (const element of elements) element.style.minHeight = "";
  const heights = elements.map((element, place) => Math.max(element.getBoundingClientRect().height, highest[place] ?? 0));
  elements.forEach((element, place) => (element.style.minHeight = `${heights[place]}px`));
  pages.set(page, { name, elements, layout, heights });
}

addEventListener("resize", () => pages.forEach(({ name, elements }, page) => { // a phone that is turned
  if (elements.some((element) => element.isConnected)) keepHeights(page, name, elements);
  else pages.delete(page); // a widget that was closed
}));

// @ts-check
// A list of columns to tick: what people see with each name.

import { element } from "./dom.js";

/**
 * Fills a list with the columns of a table.
 * @param {HTMLElement} list
 * @param {string[]} columns
 * @param {string[]} shown  those that are ticked, which come first
 */
export function listColumns(list, columns, shown) {
  const inOrder = [...shown, ...columns.filter((column) => !shown.includes(column))];
  list.replaceChildren(...inOrder.map((column) => {
    const checked = shown.includes(column);
    return element("label", {}, element("input", { type: "checkbox", value: column, checked, defaultChecked: checked }), column);
  }));
}

/**
 * The columns that are ticked; null if nobody has changed them.
 * @param {HTMLElement} list
 * @returns {string[] | null}
 */
export function tickedColumns(list) {
  const boxes = [...list.querySelectorAll("input")];
  if (boxes.every((box) => box.checked === box.defaultChecked)) return null;
  return boxes.filter((box) => box.checked).map((box) => box.value);
}

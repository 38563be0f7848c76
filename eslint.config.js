import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".peers/", ".venv/", "docs/_build/", "node_modules/"] },
  js.configs.recommended,
  {
    files: ["src/askwise/*/static/*.js"],
    languageOptions: { globals: globals.browser },
    rules: { eqeqeq: "error", "no-var": "error", "prefer-const": "error" },
  },
  { files: ["tests/javascript/*.js"], languageOptions: { globals: globals.node } },
];

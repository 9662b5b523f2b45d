// What the linter asks of the pages' scripts and of their tests.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["src/stratagem/web/static/*.js", "docs/*.js"],
    languageOptions: { sourceType: "module", ecmaVersion: 2023, globals: globals.browser },
  },
  { files: ["src/stratagem/web/static/theme.js"], languageOptions: { sourceType: "script" } },
  { files: ["tests/web/scripts/*.js"], languageOptions: { sourceType: "module", ecmaVersion: 2023, globals: { ...globals.browser, ...globals.node } } },
  {
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "none" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-properties": ["error", { property: "innerHTML", message: "text from outside never becomes markup: use el()" }],
    },
  },
];

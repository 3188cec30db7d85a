import importSort from "eslint-plugin-simple-import-sort";
import tseslint from "typescript-eslint";

/** What reads better without. */
const UNWANTED_SYNTAX = [
  {
    selector: "SpreadElement > :matches(ArrayExpression, ObjectExpression)",
    message: "a spread of a literal hides a line; write what is in it",
  },
];

export default tseslint.config(
  {
    ignores: ["dist/", "cdktf.out/", "node_modules/", ".jest-cache/", "*.js", "**/*.cjs", "*.mjs", "__tests__/**/*.js"],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    plugins: { "import-sort": importSort },
    rules: {
      "import-sort/imports": "error",
      "import-sort/exports": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      // An editor shows the name of an interface, and all members of a type that is computed.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      // Creating a construct has the effect of adding it to its scope; the value is often not needed.
      "no-new": "off",
      // What a shorthand calls is seen on the same line.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Terraform expressions interpolate numbers and booleans all the time.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "no-restricted-syntax": ["error", ...UNWANTED_SYNTAX],
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "^@cdktf/provider-[^/]+/?$",
              message: "a provider package root loads hundreds of megabytes; import the one resource folder",
            },
            {
              regex: "^fast-check$",
              message: "cases must be the same in every run; import them from __tests__/support/seeded-cases.ts",
            },
          ],
        },
      ],
    },
  },
  {
    files: ["lib/**/*.ts", "stacks/**/*.ts"],
    rules: {
      // The formatter breaks everything but texts and comments; a name of a file and a digest cannot be broken.
      "max-len": ["error", { code: 120, ignorePattern: "^import |@sha256:[0-9a-f]{64}" }],
    },
  },
  {
    files: ["lib/**/*.ts", "stacks/**/*.ts"],
    ignores: ["lib/core/**", "stacks/examples/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...UNWANTED_SYNTAX,
        {
          selector: "CallExpression[callee.property.name='addOverride']",
          message: "an override escapes the types; use the helper of lib/core for it, or add one there",
        },
      ],
    },
  },
  {
    files: ["stacks/examples/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^\\.", message: "an example is what a user writes: import the package by its name" }] },
      ],
    },
  },
);

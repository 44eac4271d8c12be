import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(
  import.meta.resolve("@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2"),
);

/** A style sheet with a font for code. The Chromium that npm installs has none, so it would show code in a proportional font. */
export const codeFont = `@font-face {
  font-family: Menlo;
  src: url("data:font/woff2;base64,${readFileSync(file, "base64")}");
}`;

// Plain JavaScript, so that any Node.js can read it.
import { existsSync } from "node:fs";

const [major = 0] = process.versions.node.split(".").map(Number);

/** Whether this Node.js runs TypeScript files directly, and functions that are written for Lambda's Node.js 24. */
export const runsTypeScript = major >= 24;

/** Instructions for users if neither this Node.js nor one that npm has installed runs TypeScript. */
const howToGetNode =
  `This is Node.js ${process.versions.node}, and the project needs 24 or newer: run npm ci, which brings one along ` +
  "(unless you give it --omit=optional), or install one from https://nodejs.org.";

/**
 * Runs a module of this folder in this process. The module is a TypeScript file, or in the built package a JavaScript file.
 *
 * @param {string} name
 * @param {number} exitCode the exit code if a package or a newer Node.js is missing
 */
export const runTypeScript = async (name, exitCode) => {
  if (!runsTypeScript) {
    console.error(howToGetNode);
    process.exit(exitCode);
  }
  const [source, built] = ["ts", "js"].map((suffix) => new URL(`${name}.${suffix}`, import.meta.url));
  try {
    await import((existsSync(source) ? source : built).href);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error(`A package is missing (${error.message}): run npm ci, and try again.`);
    process.exit(exitCode);
  }
};

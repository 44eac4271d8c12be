// Plain JavaScript, so that any Node.js can read it and say what is missing.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This is Node.js ${process.versions.node}, and the local run needs 22.18 or newer: install one from https://nodejs.org, ` +
      "or run npm ci without --omit=optional, which brings one along.",
  );
  process.exit(1);
}

try {
  await import("./start.ts");
} catch (error) {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error(`A package is missing (${error.message}): run npm ci, without --omit=dev, and start again.`);
  process.exit(1);
}

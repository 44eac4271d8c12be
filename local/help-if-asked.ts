/** Prints what a command does, and ends the process, if its arguments ask for that. */
export const helpIfAsked = (usage: string): void => {
  if (!process.argv.slice(2).some((word) => word === "--help" || word === "-h")) return;
  process.stdout.write(usage.endsWith("\n") ? usage : `${usage}\n`);
  process.exit();
};

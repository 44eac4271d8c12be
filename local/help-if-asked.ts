/** Prints the usage of a command and ends the process, if the arguments ask for help. */
export const helpIfAsked = (usage: string): void => {
  if (!process.argv.slice(2).some((word) => word === "--help" || word === "-h")) return;
  process.stdout.write(usage.endsWith("\n") ? usage : `${usage}\n`);
  process.exit();
};

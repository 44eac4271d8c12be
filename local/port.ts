// PORT+1 to PORT+3 are used too, and ports end at 65535.
const lastPort = 65_532;

/** The first port of the service. Undefined if PORT is not a valid number for it. */
export const readPort = ({ PORT }: NodeJS.ProcessEnv): number | undefined => {
  const port = Number(PORT || "3000");
  return Number.isInteger(port) && port >= 1 && port <= lastPort ? port : undefined;
};

/** What is wrong with PORT. */
export const portProblem = ({ PORT }: NodeJS.ProcessEnv): string =>
  `PORT is ${PORT}, which is not a whole number from 1 to ${lastPort}: choose one, such as PORT=4000`;

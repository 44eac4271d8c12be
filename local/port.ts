// PORT+1 to PORT+4 are used too, the last one only by npm run dev, and the highest port is 65535.
const lastPort = 65_531;

/** Reads the first port of the service. Returns `undefined` if PORT is not a valid number for it. */
export const readPort = ({ PORT }: NodeJS.ProcessEnv): number | undefined => {
  const port = Number(PORT || "3000");
  return Number.isInteger(port) && port >= 1 && port <= lastPort ? port : undefined;
};

/** Describes why PORT is invalid. */
export const portProblem = ({ PORT }: NodeJS.ProcessEnv): string =>
  `PORT is ${PORT}, which is not a whole number from 1 to ${lastPort}: choose one, such as PORT=4000`;

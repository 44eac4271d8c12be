const { NODE_COMPILE_CACHE } = process.env;

/**
 * For the environment of a Node.js that gets none of the tests' own: `npm test` names a folder in which Node.js keeps what it
 * has compiled for the next process.
 */
export const compileCache: Record<string, string> = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};

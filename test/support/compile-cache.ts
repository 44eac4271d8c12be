const { NODE_COMPILE_CACHE } = process.env;

/**
 * Variables for a Node.js process that does not inherit the tests' environment. `npm test` names a folder in which Node.js
 * keeps compiled code for the next process.
 */
export const compileCache: Record<string, string> = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};

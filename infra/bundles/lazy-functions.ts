import { decode, encode } from "@jridgewell/sourcemap-codec";
import { type ArrowFunctionExpression, type Node, parse } from "acorn";
import { ancestor } from "acorn-walk";

/*
 * When V8 loads a module, it parses every arrow function completely, even the ones that are never called. It only checks function
 * expressions for syntax errors, and parses them when they are first called. Bundles consist mostly of arrow functions, so parsing
 * them is a considerable part of a cold start. See docs/decisions/fast-functions.md.
 */

/** The code of a function, with its source map. */
export interface Bundle {
  code: Uint8Array;
  sourceMap: Uint8Array;
}

/** Shorter functions stay unchanged, because there is little to gain and the function expression would be longer. */
const shortestLength = 150;

/** Turns the longer arrow functions of a bundle into function expressions, unless that would change their behaviour. */
export const withLazyFunctions = ({ code, sourceMap }: Bundle): Bundle => {
  const text = textOf(code);
  const edits = convertibleArrows(text)
    .flatMap((arrow) => editsOf(arrow, text))
    .toSorted((left, right) => left.start - right.start);
  const map: { mappings: string } = JSON.parse(textOf(sourceMap));
  const mappings = movedMappings(map.mappings, text, edits);
  return { code: bytesOf(edited(text, edits)), sourceMap: bytesOf(JSON.stringify({ ...map, mappings })) };
};

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Finds the long arrow functions that do not use `this`, `super`, `arguments` or `new.target` of the surrounding code. */
const convertibleArrows = (text: string): ArrowFunctionExpression[] => {
  const arrows: ArrowFunctionExpression[] = [];
  const bound = new Set<Node>();
  const bind = (_node: Node, _state: unknown, ancestors: Node[]): void => {
    const inner = ancestors.slice(ancestors.findLastIndex(isFunction) + 1);
    for (const node of inner.filter(isArrow)) bound.add(node);
  };
  ancestor(parse(text, { ecmaVersion: "latest" }), {
    ArrowFunctionExpression: (arrow) => void arrows.push(arrow),
    ThisExpression: bind,
    Super: bind,
    MetaProperty: bind,
    Identifier(node, state, ancestors) {
      if (node.name === "arguments" || node.name === "eval") bind(node, state, ancestors);
    },
  });
  return arrows.filter(
    (arrow) => arrow.end - arrow.start >= shortestLength && !bound.has(arrow) && !beginsStatement(arrow, text),
  );
};

const isArrow = ({ type }: Node): boolean => type === "ArrowFunctionExpression";
const isFunction = ({ type }: Node): boolean => type === "FunctionExpression" || type === "FunctionDeclaration";

/** Checks whether an arrow function may be at the start of a statement, where `function` would start a declaration instead. */
const beginsStatement = ({ start }: Node, text: string): boolean =>
  [undefined, ";", "{", "}"].includes(text.slice(0, start).trimEnd().at(-1));

/** Replaces the text from `start` to `end`. Neither the replaced text nor the replacement contains a line break. */
interface Edit {
  start: number;
  end: number;
  replacement: string;
}

const insertion = (start: number, replacement: string): Edit => ({ start, end: start, replacement });

/** Turns `async a=>b` into `async function(a){return b}`. */
const editsOf = ({ start, end, async, params, body }: ArrowFunctionExpression, text: string): Edit[] => {
  const head = start + (async ? (/^async\s*/.exec(text.slice(start, body.start))?.[0].length ?? 0) : 0);
  const keyword = /[\w$]/.test(text.charAt(head - 1)) ? " function" : "function";
  const [parameter] = params;
  const isEnclosed = text.charAt(head) === "(" || parameter === undefined;
  const parameters = isEnclosed
    ? [insertion(head, keyword)]
    : [insertion(head, `${keyword}(`), insertion(parameter.end, ")")];
  const arrow = text.lastIndexOf("=>", body.start);
  return body.type === "BlockStatement"
    ? [...parameters, { start: arrow, end: arrow + 2, replacement: "" }]
    : [...parameters, { start: arrow, end: arrow + 2, replacement: "{return " }, insertion(end, "}")];
};

const edited = (text: string, edits: readonly Edit[]): string => {
  const parts = edits.map(
    ({ start, replacement }, index) => text.slice(edits[index - 1]?.end ?? 0, start) + replacement,
  );
  return parts.join("") + text.slice(edits.at(-1)?.end ?? 0);
};

/** Adjusts the mappings of a source map to the edited text. */
const movedMappings = (mappings: string, text: string, edits: readonly Edit[]): string => {
  const lines = text.split("\n");
  let lineStart = 0;
  let next = 0;
  const moved = decode(mappings).map((segments, line) => {
    let moveBy = 0;
    for (const segment of segments) {
      for (let edit = edits[next]; edit && edit.start <= lineStart + segment[0]; edit = edits[next]) {
        moveBy += edit.replacement.length - (edit.end - edit.start);
        next += 1;
      }
      segment[0] += moveBy;
    }
    lineStart += (lines[line]?.length ?? 0) + 1;
    while ((edits[next]?.start ?? Number.POSITIVE_INFINITY) < lineStart) next += 1;
    return segments;
  });
  return encode(moved);
};

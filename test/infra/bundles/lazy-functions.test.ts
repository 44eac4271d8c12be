import { SourceMap } from "node:module";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { bundleEntry } from "../../../infra/bundles/bundle.ts";
import { withLazyFunctions } from "../../../infra/bundles/lazy-functions.ts";

const convert = (code: string, sourceMap: object = { version: 3, sources: [], names: [], mappings: "" }) => {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const bundle = withLazyFunctions({ code: bytesOf(code), sourceMap: bytesOf(JSON.stringify(sourceMap)) });
  return {
    code: new TextDecoder().decode(bundle.code),
    sourceMap: JSON.parse(new TextDecoder().decode(bundle.sourceMap)),
  };
};

/** Makes a function long enough to be converted. */
const padding = `"${"-".repeat(150)}"`;

test.each([
  ["an expression", `(a,b)=>a+b+${padding}`, `function(a,b){return a+b+${padding}}`],
  [
    "a keyword right before it",
    `class{b(){return(a)=>a+${padding}}}`,
    `class{b(){return function(a){return a+${padding}}}}`,
  ],
  ["a block", `(a)=>{return a+${padding}}`, `function(a){return a+${padding}}`],
  ["a parameter without parentheses", `a=>a+${padding}`, `function(a){return a+${padding}}`],
  ["no parameter", `()=>${padding}`, `function(){return ${padding}}`],
  ["an object", `a=>({a,b:${padding}})`, `function(a){return ({a,b:${padding}})}`],
  ["a sequence of expressions", `a=>(a(),${padding})`, `function(a){return (a(),${padding})}`],
  ["await", `async a=>await a+${padding}`, `async function(a){return await a+${padding}}`],
  ["await, and parentheses", `async(a)=>await a+${padding}`, `async function(a){return await a+${padding}}`],
  [
    "patterns and defaults",
    `({a},[b]=[],...c)=>a+b+c+${padding}`,
    `function({a},[b]=[],...c){return a+b+c+${padding}}`,
  ],
  ["an arrow function in a default", `(a=()=>1)=>a()+${padding}`, `function(a=()=>1){return a()+${padding}}`],
  ["another arrow function inside", `a=>b=>a+b+${padding}`, `function(a){return function(b){return a+b+${padding}}}`],
  [
    "a function that binds this",
    `()=>function(){return this+${padding}}`,
    `function(){return function(){return this+${padding}}}`,
  ],
])("turns an arrow function with %s into a function expression", (_, arrow, expected) => {
  expect(convert(`f(${arrow});`).code).toBe(`f(${expected});`);
});

test.each([
  ["is short", "g(a=>a+1)"],
  ["uses this", `g(()=>this.a+${padding})`],
  ["uses this in another arrow function", `g(()=>()=>this.a+${padding})`],
  ["uses arguments", `g(()=>arguments[0]+${padding})`],
  ["uses new.target", `g(()=>new.target+${padding})`],
  ["calls eval", `g(()=>eval("this")+${padding})`],
  ["declares a class with a field that uses this", `g(()=>class{a=this;b=${padding}})`],
  ["uses this of a class", `class{a=()=>this.c+${padding}}`],
  ["uses super", `class extends B{constructor(){super();this.b=()=>super.b()+${padding}}}`],
  ["begins a statement, where it would become a declaration", `1;()=>${padding}`],
])("leaves an arrow function that %s unchanged", (_, expression) => {
  const code = `function f(){return ${expression}}`;
  expect(convert(code).code).toBe(code);
});

test("functions keep their names, results and errors", () => {
  const code = `
const add=(a,b=2,...c)=>{if(a===undefined)throw new TypeError(${padding});return a+b+c.length},table={later:async({a})=>(await a,[a,${padding}])};
[add.name,add.length,add(1),add(1,1,1),table.later.name,(()=>{try{add()}catch(error){return error.message+${padding}}})()]`;
  expect(convert(code).code).not.toContain("=>");
  expect(runInNewContext(convert(code).code)).toEqual(runInNewContext(code));
});

test("every name still maps to its line in the source", async () => {
  const source = { name: "example", entry: "lambdas/domain/tokens/authenticate" };
  const bundle = await bundleEntry(source, { lazyFunctions: false });
  const before = {
    code: new TextDecoder().decode(bundle.code),
    map: JSON.parse(new TextDecoder().decode(bundle.sourceMap)),
  };
  const { code, sourceMap } = convert(before.code, before.map);
  const wordsOf = (text: string) => {
    const found = [...text.matchAll(/\w{9,}/g)];
    return found.map(({ 0: name, index }) => {
      const lines = text.slice(0, index).split("\n");
      return { name, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    });
  };
  const originsOf = (text: string, map: ConstructorParameters<typeof SourceMap>[0]) => {
    const decoded = new SourceMap(map);
    return wordsOf(text).map(({ name, line, column }) => {
      const origin = decoded.findOrigin(line, column);
      return "fileName" in origin ? `${name} ${origin.fileName}:${origin.lineNumber}` : name;
    });
  };

  expect(code).not.toBe(before.code);
  expect(
    originsOf(before.code, before.map).filter((origin) => origin.includes("authenticate.ts")).length,
  ).toBeGreaterThan(5);
  expect(originsOf(code, sourceMap)).toEqual(originsOf(before.code, before.map));
});

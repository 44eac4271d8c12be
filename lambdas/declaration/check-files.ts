import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { DeclarationError } from "./check-declarations.ts";
import { jobsOf, operationsOf } from "./operations.ts";
import type { Service } from "./service.ts";

/** The endpoints of the package. A service need not have all of them. */
const builtInFolder = fileURLToPath(new URL("../v1", import.meta.url));

/**
 * Checks that the files of a service fit its declarations. Only for services that run from their sources.
 *
 * @throws {DeclarationError} naming each mistake.
 */
export const checkFiles = (service: Service): void => {
  const declared = [
    ...operationsOf(service).map(({ operationId, file, resource }) => ({ name: operationId, file, resource })),
    ...jobsOf(service),
  ];
  const folders = Map.groupBy(declared, ({ resource }) => resource.folder);
  const mistakes = [
    ...(service.guide === undefined || existsSync(service.guide)
      ? []
      : [
          `The service's guide is in ${shown(service.guide)}, but there is no such folder. Create it, or leave out \`guide\`.`,
        ]),
    ...[...folders].flatMap(([folder, inFolder]) => {
      if (!existsSync(folder)) return [`The folder ${shown(folder)} of ${inFolder[0]?.resource.name} does not exist.`];
      const files = sourcesIn(folder);
      const listed = new Set(inFolder.map(({ name }) => name));
      return [
        ...inFolder.flatMap(({ name, file, resource }) =>
          misplaced(files, { name, file, title: `${name} of ${resource.name}` }),
        ),
        ...(folder === builtInFolder ? [] : unlisted(files, listed)),
      ];
    }),
  ];
  if (mistakes.length > 0) throw new DeclarationError([...new Set(mistakes)]);
};

/** A source file: its path without the suffix, and its text. */
interface Source {
  path: string;
  text: string;
}

const sourcesIn = (folder: string): Source[] =>
  readdirSync(folder)
    .filter((name) => /(?<!\.d|\.test)\.[jt]s$/.test(name))
    .map((name) => ({ path: join(folder, name.slice(0, -3)), text: readFileSync(join(folder, name), "utf8") }));

/** An endpoint or a job that a resource lists, and the file that must export it. */
interface Listed {
  name: string;
  file: string;
  title: string;
}

const misplaced = (files: readonly Source[], { name, file, title }: Listed): string[] => {
  const exports = ({ text }: Source) =>
    new RegExp(`^export (const|let|function|async function) ${name}\\b|^export \\{[^}]*\\b${name}\\b`, "m").test(text);
  const own = files.find(({ path }) => path === join(file));
  if (own && exports(own)) return [];
  const actual = files.find(exports);
  const reason = actual
    ? `${shown(actual.path)} exports it`
    : own
      ? "that file does not export it"
      : "there is no such file";
  return [`${title} must be exported by ${shown(file)}, but ${reason}.`];
};

/** Finds endpoints and jobs that no resource lists. It searches the source text, because loading a module would run its code. */
const unlisted = (files: readonly Source[], listed: ReadonlySet<string>): string[] =>
  files.flatMap(({ path, text }) =>
    text.split(/^(?=export )/m).flatMap((statement) => {
      const [, name] = /^export const (\w+) = \w+\(/.exec(statement) ?? [];
      const hasAll = (...parts: RegExp[]) => parts.every((part) => part.test(statement));
      const isEndpoint = hasAll(/^\s+method: "/m, /^\s+path: "\//m, /\bhandler\b/);
      const isJob = hasAll(/^\s+event:/m, /^\s+uses:/m, /\bhandler\b/);
      if (name === undefined || !(isEndpoint || isJob) || listed.has(name)) return [];
      const kind = isEndpoint ? "endpoint" : "job";
      return [
        `${shown(path)} exports the ${kind} ${name}, which no resource lists. Add it to the resource, or remove it.`,
      ];
    }),
  );

const shown = (path: string): string => relative(process.cwd(), path) || path;

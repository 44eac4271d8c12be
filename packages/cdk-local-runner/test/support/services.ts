import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { LocalService, LocalServiceOptions } from "../../src/local-service.ts";
import { startLocalService } from "../../src/service.ts";
import { functionResources, type Resources, writeAssembly } from "./assemblies.ts";

/** Creates a folder that the caller removes. */
export const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), "local-run-"));

/** Creates a folder that is removed after the test. */
export const temporaryDirectory = async (): Promise<string> => {
  const directory = await newDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

/** Creates a folder with these files. It is removed after the test. */
export const folderOf = async (files: Record<string, string>): Promise<string> => {
  const directory = await temporaryDirectory();
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, file), text);
  return directory;
};

export interface TestedService extends LocalService {
  /** Returns everything logged so far. */
  logged: () => string;
}

type Options = Partial<LocalServiceOptions> & Pick<LocalServiceOptions, "assembly">;

const startService = async (directory: string, options: Options): Promise<TestedService> => {
  let text = "";
  const service = await startLocalService({
    port: 0,
    dataDirectory: join(directory, "data"),
    log: (line) => {
      text += line;
    },
    ...options,
  });
  return Object.assign(service, { logged: () => text });
};

/** Starts a service that is closed after the test. */
export const runningService = async (options: Options): Promise<TestedService> => {
  const service = await startService(await temporaryDirectory(), options);
  onTestFinished(service.close);
  return service;
};

/** Starts a service that all tests of a file share. It is available once the tests run. */
export const sharedService = (optionsIn: (directory: string) => Promise<Options>): (() => TestedService) => {
  let directory: string;
  let service: TestedService;
  beforeAll(async () => {
    directory = await newDirectory();
    service = await startService(directory, await optionsIn(directory));
  });
  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true });
  });
  return () => service;
};

interface TestedFunction {
  /** The content of `index.js`. */
  code: string;
  /** Properties of its `AWS::Lambda::Function`. */
  properties?: object;
  /** Statements of its role. */
  statements?: object[];
}

/** Writes an assembly of functions, given by their code, and of other resources. */
export const writeFunctions = (
  directory: string,
  functions: Record<string, string | TestedFunction>,
  others: Resources = {},
): Promise<string> => {
  const all = Object.entries(functions).map(([name, value]) => {
    const { code, ...options } = typeof value === "string" ? { code: value } : value;
    return { name, code, resources: functionResources(name, options) };
  });
  return writeAssembly(directory, {
    resources: Object.assign({}, ...all.map(({ resources }) => resources), others),
    code: Object.fromEntries(all.map(({ name, code }) => [name, { "index.js": code }])),
  });
};

/** Counts the running threads that this process has started since this call. */
export const countThreads = () => {
  const threads = new Set<Worker>();
  process.on("worker", (thread) => {
    threads.add(thread);
    thread.once("exit", () => threads.delete(thread));
  });
  return { ofFunction: (name: string) => [...threads].filter(({ threadName }) => threadName === name).length };
};

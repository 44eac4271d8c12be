import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ApplicationChanges, type LocalService, type LocalServiceOptions, messageOf } from "cdk-local-runner";
import { hasCode, readBundleSources } from "../../infra/bundles/assembly-files.ts";
import { isDependency, packageFolder, serviceFolder } from "../../lambdas/shared/project-folder.ts";
import type { FunctionLoader } from "../load-functions.ts";
import { differenceOf, synthesise } from "../synthesise.ts";
import type { DevWebInterface } from "./dev-web-interface.ts";
import { type FunctionRebuilder, functionRebuilder } from "./rebuild-functions.ts";
import { watchProject } from "./watch-project.ts";

/** The folders whose files end up in a function or in the templates. In an application, that can be any file. */
const watchedFolders = isDependency
  ? ["."]
  : ["docs/guide", "infra", "lambdas", "openapi", "tools/docs", "web/documentation", "web/site"];

const differences = { template: "The template", declaration: "A declaration", page: "A page" } as const;

/** The maximum number of lines of type errors to show. */
const shownLines = 10;

interface DevelopmentOptions {
  dataDirectory: string;
  port: number;
  settingsFile: string;
  loader: FunctionLoader;
  write: (text: string) => void;
}

/** What `npm run dev` adds to the service that `npm start` runs. */
export interface Development {
  /** Options that the service is started with. */
  options: Pick<LocalServiceOptions, "middleware">;
  /** Starts the server of the web interface. Call it once the ports and the data folder are claimed. */
  start: () => Promise<void>;
  /** Watches the project and keeps the running service up to date with it. */
  follow: (service: LocalService, assemblyDirectory: string) => Promise<void>;
  /** Returns the source map of a function's latest bundle, if the function has been bundled since the start. */
  sourceMapOf: (functionName: string) => string | undefined;
  close: () => Promise<void>;
}

/**
 * Keeps a running service up to date with the project.
 *
 * After a change, the functions that have been called and contain a changed file are bundled again, and their code is replaced if
 * it differs. This takes a moment. Then the templates are synthesised in another process, and the service is reloaded if they
 * differ. If either step fails, the failure is reported and the affected parts stay as they were. Finally the types are checked,
 * because code with type errors runs anyway.
 */
export const createDevelopment = ({
  dataDirectory,
  port,
  settingsFile,
  loader,
  write,
}: DevelopmentOptions): Development => {
  const folder = join(dataDirectory, "dev");
  let web: DevWebInterface | undefined;
  let rebuilder: FunctionRebuilder | undefined;
  let watcher: { close: () => Promise<void> } | undefined;

  const follow = async (service: LocalService, firstAssembly: string): Promise<void> => {
    let assembly = firstAssembly;
    await rm(folder, { recursive: true, force: true });
    let synthesisCount = 0;
    let synthesis = new AbortController();
    let reloading = Promise.resolve();
    let changeCount = 0;
    const changedFiles = new Set<string>();

    /** `changesInAssembly` is the number of changes that the assembly is known to contain. */
    const startRebuilder = async (changesInAssembly: number) => {
      await rebuilder?.close();
      rebuilder = await functionRebuilder(await readBundleSources(assembly), {
        folder: join(folder, `${synthesisCount}`),
        codeDirectoryOf: service.codeDirectoryOf,
      });
      await rebuilder.prepare();
      // This build may contain a change that the functions in the assembly lack.
      if (changeCount > changesInAssembly) rebuilder.forget();
    };

    const synthesiseAgain = async () => {
      synthesisCount += 1;
      synthesis = new AbortController();
      const { signal } = synthesis;
      const next = await synthesise(join(folder, "synthesis", `${synthesisCount}`), {
        defersEndpoints: true,
        settingsFile,
        signal,
      }).catch((error) => {
        if (!signal.aborted) throw error;
      });
      if (next === undefined) return;
      const difference = await differenceOf(assembly, next);
      // A change made since then is not in these bundles. That change starts another synthesis.
      if (difference === undefined || signal.aborted) return rm(next, { recursive: true });
      write(`${differences[difference]} has changed. Reloading …\n`);
      reloading = reload(next);
      await reloading;
    };

    const checkTypes = async () => {
      const { signal } = synthesis;
      const errors = await findTypeErrors(join(folder, "types.tsbuildinfo"), signal);
      if (signal.aborted || errors === "") return;
      write(`The types are wrong; npx tsc shows all errors:\n${errors.split("\n").slice(0, shownLines).join("\n")}\n`);
    };

    const reload = async (next: string) => {
      const changesInAssembly = changeCount;
      const changes = await service.reload(next);
      assembly = next;
      await startRebuilder(changesInAssembly);
      write(`${describeChanges(changes)}\n`);
    };

    const report = (error: unknown, consequence: string) => write(`${messageOf(error)}\n${consequence}\n`);
    const reportFailure = (error: unknown) => report(error, "The service continues as it was.");

    const replaceCode = async () => {
      const startedAt = performance.now();
      // A reload at the same time would undo this replacement. If the reload fails, the code that started it reports the failure.
      await reloading.catch(() => undefined);
      // A function that is being bundled may still have the old code.
      await loader.settled();
      const files = [...changedFiles];
      changedFiles.clear();
      const rebuilt = (await rebuilder?.rebuild(files)) ?? [];
      for (const { name, codeDirectory } of rebuilt) service.replaceCode(name, codeDirectory);
      const names = rebuilt.map(({ name }) => name).join(", ");
      if (names !== "") write(`Reloaded ${names} in ${Math.round(performance.now() - startedAt)} ms.\n`);
      // The synthesis starts only now, because it would compete with the build and is not needed if the code does not compile.
      synthesiseInTurn();
    };

    const synthesiseInTurn = inTurn(
      async () => {
        await synthesiseAgain();
        await checkTypes();
      },
      (error) => report(error, "The functions run the new code. Everything else is as it was."),
    );
    const replaceCodeInTurn = inTurn(replaceCode, reportFailure);
    /** Starts new threads, which read the secrets again. */
    const restartFunctions = () => {
      for (const name of service.functionNames) {
        const codeDirectory = service.codeDirectoryOf(name) ?? "";
        if (hasCode(codeDirectory)) service.replaceCode(name, codeDirectory);
      }
    };
    await startRebuilder(changeCount);
    watcher = await watchProject({
      folders: watchedFolders,
      serviceFolder,
      settingsFile,
      onSettings: restartFunctions,
      onError: reportFailure,
      onChange: (files) => {
        changeCount += 1;
        for (const file of files) changedFiles.add(file);
        // A synthesis in progress would give an outdated result and delay the new code.
        synthesis.abort();
        replaceCodeInTurn();
      },
    });
  };

  return {
    options: {
      middleware: (request, response, next) => (web ? web.middleware(request, response, next) : next()),
    },
    async start() {
      // The package contains a prebuilt web interface.
      if (isDependency) return;
      const { startDevWebInterface } = await import("./dev-web-interface.ts");
      web = await startDevWebInterface({ webFolder: join(packageFolder, "web/admin"), reloadPort: port + 4 });
    },
    follow,
    sourceMapOf: (name) => rebuilder?.sourceMapOf(name),
    async close() {
      await watcher?.close();
      await web?.close();
      await rebuilder?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Queues work so that it never runs twice at once. Calls that arrive while a run waits share that run. */
const inTurn = (work: () => Promise<void>, onError: (error: unknown) => void) => {
  let isWaiting = false;
  let last = Promise.resolve();
  return (): void => {
    if (isWaiting) return;
    isWaiting = true;
    last = last
      .then(() => {
        isWaiting = false;
        return work();
      })
      .catch(onError);
  };
};

const describeChanges = (changes: ApplicationChanges): string => {
  const parts = Object.entries(changes).flatMap(([kind, { added, removed, changed }]) =>
    Object.entries({ added, removed, changed })
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${kind} ${what}: ${names.join(", ")}`),
  );
  return parts.length === 0 ? "Nothing that runs locally is affected." : `Reloaded. ${parts.join("; ")}.`;
};

const compiler = join(serviceFolder, "node_modules/typescript/bin/tsc");

/** Returns the type errors of the project, one per line. The list is empty if there are none, or if TypeScript is not installed. */
const findTypeErrors = (buildInfoFile: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const words = [compiler, "--singleThreaded", "--incremental", "--tsBuildInfoFile", buildInfoFile];
    execFile(process.execPath, words, { cwd: serviceFolder, signal }, (_, output) => resolve(output));
  });

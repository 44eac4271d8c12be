import type { RequestListener } from "node:http";
import { resolve } from "node:path";
import { type Application, changesBetween, readApplication } from "./assembly/application.ts";
import { createAwsApi } from "./aws-api.ts";
import { openClock } from "./clock/clock.ts";
import { createAccessControl } from "./database/access-control.ts";
import { createTables } from "./database/create-tables.ts";
import { startEmbeddedDatabase } from "./database/embedded-database.ts";
import { createFunctions } from "./functions.ts";
import { createGateway, withMiddleware } from "./gateway/gateway.ts";
import { createInvokeApi } from "./lambda/invoke-api.ts";
import type { InvokeByArn } from "./lambda/outcome.ts";
import type { LocalService, LocalServiceOptions } from "./local-service.ts";
import { createLogin, type Issuer, workloadsPath } from "./login/issuer.ts";
import { createWorkloadIssuer } from "./login/workload-issuer.ts";
import { createLogFeed } from "./logs/log-feed.ts";
import { describeSent, type Sent } from "./messages/sent.ts";
import { createScheduler } from "./schedules/scheduler.ts";
import { type DatabaseAccess, localAwsEnvironment } from "./support/aws-environment.ts";
import { type HttpListener, openListener } from "./support/http-listener.ts";
import { LocalError } from "./support/local-error.ts";

// Stopping takes less than a second, including the database.
const graceMilliseconds = 600;

/** The current application. */
interface Running {
  application: Application;
  issuer: Issuer | undefined;
}

const noUserPool: RequestListener = (_, response) => void response.writeHead(404).end("This app has no user pool.");

/**
 * Starts everything that a cloud assembly's templates declare.
 *
 * @example
 * const service = await startLocalService({ port: 3000, dataDirectory: ".local", assembly: "cdk.out" });
 * await fetch(`${service.baseUrl}/items`);
 * await service.close();
 */
export const startLocalService = async (options: LocalServiceOptions): Promise<LocalService> => {
  const { port, assembly, externalDatabase, additionalUsers = [], middleware, log = () => {} } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const environment = localAwsEnvironment(externalDatabase?.region);
  const logLine = (text: string) => log(`${text}\n`);
  const onFailure = options.onFailure ?? ((failure: LocalError) => logLine(failure.message));
  const accessControl = createAccessControl();

  // Closed in reverse order when the service is closed or when its start fails.
  await using parts = new AsyncDisposableStack();
  const openPort = async (offset: number, use: string): Promise<HttpListener> =>
    parts.adopt(await openListener(port && port + offset, use), (listener) => listener.close(0));
  const openDatabase = async (): Promise<DatabaseAccess> => {
    if (externalDatabase) return externalDatabase;
    const settings = { dataDirectory, port: port && port + 2, environment, accessControl, onFailure };
    const { url } = parts.adopt(await startEmbeddedDatabase(settings), ({ close }) => close());
    return { endpoint: url, region: environment.region };
  };

  const api = await openPort(0, "the API");
  const invokeApi = await openPort(1, "the Lambda Invoke API");
  const loginPort = await openPort(3, "the login");
  const access = await openDatabase();

  const clock = await openClock(dataDirectory);
  if (clock.aheadMilliseconds() > 0) {
    const hours = Math.round(clock.aheadMilliseconds() / 3_600_000);
    logLine(
      `The functions' clock reads ${new Date(clock.now()).toISOString()}. It is ${hours} hours ahead, because somebody has let time pass.`,
    );
  }
  const workloads = await createWorkloadIssuer(clock.now);
  const addresses = { url: loginPort.url, baseUrl: api.url };
  const login = { ...addresses, dataDirectory, additionalUsers, workloads, now: clock.now, log: logLine };
  const issuerOf = createLogin(login);
  const sent: Sent[] = [];
  const feed = createLogFeed({ accountId: environment.accountId, now: clock.now, log: logLine });
  const functions = createFunctions({
    access,
    addresses: { messagesUrl: invokeApi.url, issuerUrl: `${loginPort.url}${workloadsPath}` },
    feed,
    clock: clock.shared,
    log,
    sourceMapOf: options.sourceMapOf ?? (() => undefined),
    makeCode: options.makeCode,
  });
  const scheduler = createScheduler({ clock, environment, log: logLine });
  parts.defer(functions.close);
  parts.defer(scheduler.close);
  parts.defer(() => feed.close(graceMilliseconds));
  parts.defer(async () => {
    await Promise.all([api, invokeApi, loginPort].map((listener) => listener.close(graceMilliseconds)));
  });

  const run = async (assemblyDirectory: string): Promise<Running> => {
    // The steps that can fail come first. The previous application keeps running until all of them have succeeded.
    const places = { environment, baseUrl: api.url, loginUrl: loginPort.url };
    const application = await readApplication(assemblyDirectory, places, options.ignore);
    const issuer = application.userPool && (await issuerOf(application.userPool));
    await createTables(application.tables, access, externalDatabase?.endpoint ?? dataDirectory);
    accessControl.enforce(new Map(application.functions.map(({ name, rights }) => [name, rights])));

    functions.run(application.functions);
    // A copy, so that a request from before a reload still finds a function that the reload removes.
    const byArn = new Map([...functions.byName.values()].map((pool) => [pool.definition.arn, pool]));
    const invoke: InvokeByArn = (arn, payload) => byArn.get(application.functionBehind(arn))?.invoke(payload);
    feed.subscribe(application.subscriptions, invoke);
    const gateway = createGateway({
      api: application.api,
      mayInvoke: application.mayInvoke,
      accountId: environment.accountId,
      now: clock.now,
      domainName: new URL(api.url).host,
      invoke,
      keysOf: (url) => (url === loginPort.url ? issuer?.keys : undefined),
      log: logLine,
    });
    scheduler.run(application.schedules, invoke);
    loginPort.serve(issuer?.listener ?? noUserPool);
    api.serve(withMiddleware(middleware, gateway, logLine));
    return { application, issuer };
  };

  let running = await run(typeof assembly === "string" ? assembly : await assembly());
  invokeApi.serve(
    createAwsApi({
      invokeApi: createInvokeApi({
        pools: functions.byName,
        functionBehind: (arn) => running.application.functionBehind(arn),
        environment,
        log: logLine,
      }),
      messages: {
        environment,
        topics: () => running.application.topics,
        buses: () => running.application.buses,
        accessControl,
        now: clock.now,
        send(messages) {
          sent.push(...messages);
          for (const message of messages) log(describeSent(message));
        },
        onUnsupported: ({ functionName, what }) =>
          onFailure(new LocalError(`Function ${functionName} uses ${what}, which a local run does not support.`)),
      },
      parameters: options.parameters ?? (() => undefined),
      clock,
      scheduler,
      sent,
      log: logLine,
    }),
  );

  let reloading: Promise<unknown> = Promise.resolve();
  const reload = async (directory: string) => {
    const before = running.application;
    running = await run(directory);
    return changesBetween(before, running.application);
  };

  const opened = parts.move();
  return {
    baseUrl: api.url,
    invokeUrl: invokeApi.url,
    dynamodbUrl: access.endpoint,
    get loginUrl() {
      return running.issuer && loginPort.url;
    },
    get loginClientIds() {
      return running.application.userPool?.clients.map(({ id }) => id) ?? [];
    },
    get logins() {
      return running.issuer?.logins ?? [];
    },
    get functionNames() {
      return [...functions.byName.keys()];
    },
    get ignored() {
      return running.application.ignored;
    },
    get tableNames() {
      return running.application.tables.map(({ TableName }) => TableName);
    },
    codeDirectoryOf: (functionName) => functions.byName.get(functionName)?.definition.codeDirectory,
    invoke: async (functionName, event) => functions.named(functionName).invoke(JSON.stringify(event)),
    sent: () => [...sent],
    deliverLogs: feed.flush,
    now: clock.now,
    usedRights: async () => accessControl.usedRights(),
    replaceCode: functions.replaceCode,
    reload(directory) {
      // Reloads run one after another, whether or not the previous one succeeds.
      const reloaded = reloading.then(() => reload(directory));
      reloading = reloaded.catch(() => undefined);
      return reloaded;
    },
    close: () => opened.disposeAsync(),
  };
};

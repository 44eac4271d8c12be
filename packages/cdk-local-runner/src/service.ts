import type { RequestListener } from "node:http";
import { join, resolve } from "node:path";
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
import { describeSent, openSentLog } from "./messages/sent.ts";
import { createScheduler } from "./schedules/scheduler.ts";
import { type DatabaseAccess, localAwsEnvironment } from "./support/aws-environment.ts";
import { type HttpListener, openListener } from "./support/http-listener.ts";
import { LocalError } from "./support/local-error.ts";

// Stopping takes less than a second, including the database.
const graceMilliseconds = 600;

interface Closing {
  /** Functions that close the parts, in the order in which they were opened. */
  closers: (() => Promise<unknown>)[];
  close: () => Promise<void>;
}

interface Database {
  access: DatabaseAccess;
  /** The folder or the address of the data, for error messages. */
  place: string;
}

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
  // Parts are closed in reverse order when the service is closed or when its start fails.
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return await runService(options, { closers, close });
  } catch (error) {
    await close();
    throw error;
  }
};

/** Opens the ports and the data, gets the assembly, and runs it. */
const runService = async (options: LocalServiceOptions, { closers, close }: Closing): Promise<LocalService> => {
  const {
    port,
    assembly,
    externalDatabase,
    additionalUsers = [],
    middleware,
    makeCode,
    sourceMapOf = () => undefined,
  } = options;
  const { log = () => {} } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const environment = localAwsEnvironment(externalDatabase?.region);
  const logLine = (text: string) => log(`${text}\n`);

  const openPort = async (number: number, use: string): Promise<HttpListener> => {
    const listener = await openListener(number, use);
    closers.push(() => listener.close(0));
    return listener;
  };
  const accessControl = createAccessControl();
  const onFailure = options.onFailure ?? ((failure: LocalError) => logLine(failure.message));
  const openDatabase = async (): Promise<Database> => {
    if (externalDatabase) return { access: externalDatabase, place: externalDatabase.endpoint };
    const settings = { dataDirectory, port: port && port + 2, environment, accessControl, onFailure };
    const { url, close } = await startEmbeddedDatabase(settings);
    closers.push(close);
    return { access: { endpoint: url, region: environment.region }, place: dataDirectory };
  };

  const api = await openPort(port, "the API");
  const invokeApi = await openPort(port && port + 1, "the Lambda Invoke API");
  const loginPort = await openPort(port && port + 3, "the login");
  const { access, place } = await openDatabase();

  const clock = await openClock(dataDirectory);
  if (clock.aheadMilliseconds() > 0) {
    const hours = Math.round(clock.aheadMilliseconds() / 3_600_000);
    logLine(
      `For the functions it is ${new Date(clock.now()).toISOString()}: the clock is ${hours} hours ahead, because somebody has let time pass.`,
    );
  }
  const workloads = await createWorkloadIssuer(clock.now);
  const login = {
    url: loginPort.url,
    baseUrl: api.url,
    dataDirectory,
    additionalUsers,
    workloads,
    now: clock.now,
    log: logLine,
  };
  const issuerOf = createLogin(login);
  const sent = await openSentLog(dataDirectory);
  const feed = createLogFeed({ accountId: environment.accountId, now: clock.now, log: logLine });
  const functions = createFunctions({
    inlineDirectory: join(dataDirectory, "inline"),
    access,
    addresses: { messagesUrl: invokeApi.url, issuerUrl: `${loginPort.url}${workloadsPath}` },
    feed,
    clock: clock.shared,
    log,
    sourceMapOf,
    makeCode,
  });
  const scheduler = createScheduler({ clock, environment, log: logLine });
  closers.push(functions.close);
  closers.push(async () => scheduler.close());
  closers.push(() => feed.close(graceMilliseconds));
  closers.push(() => Promise.all([api, invokeApi, loginPort].map((listener) => listener.close(graceMilliseconds))));

  const run = async (assemblyDirectory: string): Promise<Running> => {
    // The steps that can fail come first. The previous application keeps running until all of them have succeeded.
    const places = { environment, baseUrl: api.url, loginUrl: loginPort.url };
    const application = await readApplication(assemblyDirectory, places, options.ignore);
    const issuer = application.userPool && (await issuerOf(application.userPool));
    await createTables(application.tables, access, place);
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
          sent.add(messages);
          for (const message of messages) log(describeSent(message));
        },
        onUnsupported: ({ functionName, what }) =>
          onFailure(new LocalError(`Function ${functionName} uses ${what}, which a local run does not support.`)),
      },
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
    get tableNames() {
      return running.application.tables.map(({ TableName }) => TableName);
    },
    codeDirectoryOf: (functionName) => functions.byName.get(functionName)?.definition.codeDirectory,
    invoke: async (functionName, event) => functions.named(functionName).invoke(JSON.stringify(event)),
    sent: () => [...sent.all()],
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
    close,
  };
};

// The parts of a local run, for tests and tools that need only some of them.
export { type Application, readApplication } from "./assembly/application.ts";
export { readFilterPattern } from "./assembly/log-subscriptions.ts";
export { isAllowed } from "./assembly/rights.ts";
export { accessedAttributes } from "./database/accessed-attributes.ts";
export { createTables } from "./database/create-tables.ts";
export { createDatabaseServer, type Reply } from "./database/database-server.ts";
export { startEmbeddedDatabase } from "./database/embedded-database.ts";
export { createRouteTable } from "./gateway/route-table.ts";
export { type LocalAddresses, runtimeVariables } from "./lambda/execution-environment.ts";
export { signIn, signInForTokens, startSignIn } from "./login/sign-in.ts";
export { createWorkloadIssuer } from "./login/workload-issuer.ts";
export { arnOf, localAwsEnvironment } from "./support/aws-environment.ts";

import { DeleteTableCommand, DynamoDB, waitUntilTableNotExists } from "@aws-sdk/client-dynamodb";
import type { LocalService } from "cdk-local-runner";
import type { StoreName } from "../../lambdas/resources/stores.ts";
import { accessTables, type TableAccess, tableNameOf } from "../../tools/support/table-states.ts";

/** The access to the tables of a service. */
type WithTables = Pick<LocalService, "dynamodbUrl" | "tableNames">;

const clientOf = ({ dynamodbUrl }: WithTables): DynamoDB =>
  new DynamoDB({
    endpoint: dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });

/** The tables of a running service. */
export const tablesOf = (service: WithTables): TableAccess =>
  accessTables(clientOf(service), (store) => tableNameOf(service, store));

/** Deletes a table of a running service, and waits until it is gone. The service must not be closed before that. */
export const deleteTable = async (service: WithTables, store: StoreName): Promise<void> => {
  const client = clientOf(service);
  const TableName = tableNameOf(service, store);
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }, { TableName });
  client.destroy();
};

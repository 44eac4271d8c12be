import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod/mini";

export interface StubUser {
  Username: string;
  Attributes: { Name: string; Value: string }[];
  Enabled: boolean;
  UserStatus: string;
}

const requestSchema = z.object({
  UserPoolId: z.string(),
  Username: z.optional(z.string()),
  GroupName: z.optional(z.string()),
  UserAttributes: z.optional(z.array(z.object({ Name: z.string(), Value: z.string() }))),
  DesiredDeliveryMediums: z.optional(z.array(z.string())),
  MessageAction: z.optional(z.string()),
  PaginationToken: z.optional(z.string()),
  NextToken: z.optional(z.string()),
});

type Request = z.output<typeof requestSchema>;

// Smaller than Cognito's, so that few users take several pages.
const pageSize = 2;

class Refusal extends Error {
  readonly type: string;
  constructor(type: string) {
    super(`refused: ${type}`);
    this.type = type;
  }
}

/** One user pool, `us-east-1_pool`, with the part of Cognito's API that the commands use. */
export const startUserPoolStub = async (groups: string[]) => {
  const users = new Map<string, StubUser>();
  const members = new Map<string, Set<string>>(groups.map((group) => [group, new Set()]));
  const invitations: string[] = [];
  const state = { invitationsLeft: Number.POSITIVE_INFINITY };

  const page = <Value>(values: Value[], token = "0") => {
    const end = Number(token) + pageSize;
    return { values: values.slice(Number(token), end), next: end < values.length ? String(end) : undefined };
  };
  const membersOf = (group = "") => members.get(group) ?? refuse("ResourceNotFoundException");
  const userOf = (name = "") => users.get(name) ?? refuse("UserNotFoundException");

  const operations: Record<string, (request: Request) => object> = {
    ListGroups({ NextToken }) {
      const { values, next } = page([...members.keys()], NextToken);
      return { Groups: values.map((GroupName) => ({ GroupName })), NextToken: next };
    },
    ListUsers({ PaginationToken }) {
      const { values, next } = page([...users.values()], PaginationToken);
      return { Users: values, PaginationToken: next };
    },
    ListUsersInGroup({ GroupName, NextToken }) {
      const { values, next } = page([...membersOf(GroupName)].map(userOf), NextToken);
      return { Users: values, NextToken: next };
    },
    AdminCreateUser({ Username = "", UserAttributes = [], DesiredDeliveryMediums, MessageAction }) {
      if (users.has(Username)) refuse("UsernameExistsException");
      if (MessageAction !== "SUPPRESS") {
        if (state.invitationsLeft === 0) refuse("LimitExceededException");
        state.invitationsLeft -= 1;
        invitations.push(`${Username} by ${DesiredDeliveryMediums}`);
      }
      users.set(Username, { Username, Attributes: UserAttributes, Enabled: true, UserStatus: "FORCE_CHANGE_PASSWORD" });
      return { User: users.get(Username) };
    },
    AdminDisableUser({ Username }) {
      userOf(Username).Enabled = false;
      return {};
    },
    AdminAddUserToGroup({ Username, GroupName }) {
      membersOf(GroupName).add(userOf(Username).Username);
      return {};
    },
  };

  const server = createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).replace("AWSCognitoIdentityProviderService.", "");
    const body = requestSchema.parse(await json(request));
    try {
      if (body.UserPoolId !== "us-east-1_pool") refuse("ResourceNotFoundException");
      const answer = operations[operation]?.(body) ?? refuse("UnknownOperationException");
      response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response.writeHead(400, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify({ __type: error.type, message: error.message }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    environment: {
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "operator",
      AWS_SECRET_ACCESS_KEY: "operator",
    },
    users,
    members,
    invitations,
    state,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

const refuse = (type: string): never => {
  throw new Refusal(type);
};

export type UserPoolStub = Awaited<ReturnType<typeof startUserPoolStub>>;

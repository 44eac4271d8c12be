import { type AwsEnvironment, arnOf, matchesPattern } from "../support/aws-environment.ts";
import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import {
  type DeployedStacks,
  type Named,
  readProperties,
  refusal,
  resourceType,
  type StackResource,
} from "./stack-resources.ts";

/** A statement of an IAM policy, reduced to the services that run locally. Patterns may contain `*` and `?`. */
export interface Statement {
  effect: "Allow" | "Deny";
  actions: string[];
  resources: string[];
  /** If present, the request may access only these attributes. */
  attributes?: string[];
  /** Conditions on the request, by condition key: for example, `events:source` must be one of the values. */
  equal?: Record<string, string[] | undefined>;
}

/** The top-level attributes that a request reads, writes or tests; "all" if it could access any. */
export type AccessedAttributes = ReadonlySet<string> | "all";

/** A role's rights in the services that run locally. */
export type Rights = Statement[];

const oneOrMany = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value) => (typeof value === "string" ? [value] : value)),
);

// Statements about other services may refer to resources that a local run leaves out. Actions are plain text, so a statement is
// resolved only if its actions concern a service that runs locally.
const documentSchema = z.object({ Statement: z.array(z.record(z.string(), z.unknown())) });
const actionsSchema = z.object({ Action: z.optional(oneOrMany), NotAction: z.optional(oneOrMany) });

const isNotEmpty = (value: object): boolean => Object.keys(value).length > 0;

const conditionSchema = z
  .strictObject({
    "ForAllValues:StringEquals": z.optional(z.strictObject({ "dynamodb:Attributes": oneOrMany })),
    StringEquals: z.optional(
      z
        .strictObject({
          "dynamodb:Select": z.optional(oneOrMany),
          "events:source": z.optional(oneOrMany),
          "events:detail-type": z.optional(oneOrMany),
        })
        .check(z.refine(isNotEmpty, "an empty condition")),
    ),
  })
  .check(z.refine(isNotEmpty, "an empty condition"));

// Strict, because ignoring a condition or a NotResource would grant more here than in AWS.
const statement = { Sid: z.optional(z.string()), Action: oneOrMany, Resource: oneOrMany };
const statementSchema = z.discriminatedUnion("Effect", [
  z.strictObject({ ...statement, Effect: z.literal("Allow"), Condition: z.optional(conditionSchema) }),
  z.strictObject({ ...statement, Effect: z.literal("Deny") }),
]);

const policySchema = z.object({ PolicyDocument: documentSchema });
const policiesSchema = z.object({ Policies: z._default(z.array(policySchema), []) });
const rolesSchema = z.object({ Roles: z._default(z.array(z.string()), []) });
const managedSchema = z.object({ ManagedPolicyArns: z._default(z.array(z.string()), []) });

const iamArn = (kind: string, { environment: { partition, accountId }, stackName, logicalId }: Named): string =>
  `arn:${partition}:iam::${accountId}:${kind}/${stackName}-${logicalId}`;

const policyType = resourceType({ type: "AWS::IAM::Policy", schema: z.unknown() });

// The CDK moves what is too much for a role's own policies into managed policies.
const managedPolicyType = resourceType({
  type: "AWS::IAM::ManagedPolicy",
  ref: (named) => iamArn("policy", named),
  schema: z.unknown(),
});

const roleType = resourceType({
  type: "AWS::IAM::Role",
  ref: ({ stackName, logicalId }) => `${stackName}-${logicalId}`,
  attributes: (named) => ({ Arn: iamArn("role", named) }),
  schema: z.unknown(),
});

const permissionType = resourceType({
  type: "AWS::Lambda::Permission",
  schema: z.strictObject({
    Action: z.string(),
    FunctionName: z.string(),
    Principal: z.string(),
    SourceArn: z.optional(z.string()),
    SourceAccount: z.optional(z.string()),
  }),
});

export const rightsTypes = [policyType, managedPolicyType, roleType, permissionType];

// AWS managed policies known to grant nothing on the services that run locally. The content of other managed policies isn't known
// here.
const managedWithoutServices =
  /:policy\/(service-role\/AWSLambda(Basic|VPCAccess)ExecutionRole|AWSXRayDaemonWriteAccess)$/;

/** Reads all policies. The returned function looks up a role's rights by its ARN. It reads a role only on its first lookup. */
export const readRights = ({ all, attempt }: DeployedStacks): ((roleArn: string) => Rights) => {
  const statementsOf = (source: StackResource, { PolicyDocument }: z.infer<typeof policySchema>): Statement[] =>
    PolicyDocument.Statement.flatMap((raw) => attempt(() => readStatement(source, raw)) ?? []);
  const attached = [policyType, managedPolicyType].flatMap(all).map((policy) => ({
    arn: policy.ref,
    roles: attempt(() => readPart(policy, "Roles", rolesSchema).Roles) ?? [],
    statements: statementsOf(policy, policySchema.parse(policy.raw)),
  }));

  const roles = new Map(all(roleType).map((role) => [role.attributes.Arn ?? role.ref, role]));
  const rights = new Map<string, Rights>();
  const read = (role: StackResource): Rights => {
    const { ManagedPolicyArns: managed } = readPart(role, "ManagedPolicyArns", managedSchema);
    const own = policiesSchema.parse(role.raw).Policies.flatMap((policy) => statementsOf(role, policy));
    const known = attached.map(({ arn }) => arn);
    const unknown = managed.find((arn) => !managedWithoutServices.test(arn) && !known.includes(arn));
    if (unknown !== undefined) {
      throw refusal(role, `the content of its managed policy ${unknown} is not known`);
    }
    const granted = attached.filter(({ roles, arn }) => roles.includes(role.ref) || managed.includes(arn));
    return [...own, ...granted.flatMap(({ statements }) => statements)];
  };

  return (roleArn) => {
    const role = roles.get(roleArn);
    if (!role) throw new LocalError(`Something runs under the role ${roleArn}, which no stack of this app defines.`);
    const found = rights.get(roleArn) ?? attempt(() => read(role)) ?? [];
    rights.set(roleArn, found);
    return found;
  };
};

/**
 * Applies IAM's rule: at least one statement must allow the request and none may deny it.
 *
 * @param accessed the attributes that the request accesses; a statement that names attributes never allows "all"
 * @param context properties of the request, by condition key
 */
export const isAllowed = (
  rights: Rights,
  action: string,
  resource: string,
  accessed: AccessedAttributes = "all",
  context: Record<string, string> = {},
): boolean => {
  const relevant = rights.filter(
    ({ actions, resources }) =>
      actions.some((pattern) => matchesPattern(pattern.toLowerCase(), action.toLowerCase())) &&
      resources.some((pattern) => matchesPattern(pattern, resource)),
  );
  const covers = ({ attributes, equal = {} }: Statement) =>
    (attributes === undefined || (accessed !== "all" && [...accessed].every((name) => attributes.includes(name)))) &&
    Object.entries(equal).every(([key, values]) => values?.includes(context[key] ?? "") ?? true);
  return relevant.some(covers) && relevant.every(({ effect }) => effect === "Allow");
};

/** Reads a statement. Returns nothing if it concerns other services. */
const readStatement = (source: StackResource, raw: Record<string, unknown>): Statement[] => {
  const { Action: actions, NotAction } = actionsSchema.parse(raw);
  if (NotAction === undefined && !actions?.some(concernsLocalService)) return [];
  const read = readProperties(source, statementSchema, raw);
  const condition = read.Effect === "Allow" ? read.Condition : undefined;
  const attributes = condition?.["ForAllValues:StringEquals"]?.["dynamodb:Attributes"];
  const equal = condition?.StringEquals;
  return [
    {
      effect: read.Effect,
      actions: read.Action.filter(concernsLocalService),
      resources: read.Resource,
      ...(attributes && { attributes }),
      ...(equal && { equal }),
    },
  ];
};

const readPart = <Schema extends z.ZodMiniType>(resource: StackResource, name: string, schema: Schema) =>
  readProperties(resource, schema, name in resource.raw ? { [name]: resource.raw[name] } : {});

const concernsLocalService = (action: string): boolean =>
  /^(\*|dynamodb:|events:|lambda:Invoke|lambda:\*|sns:|ssm:)/i.test(action);

const trustSchema = z.object({
  Effect: z.literal("Allow"),
  Principal: z.object({ Service: z.union([z.string(), z.array(z.string())]) }),
});
const trustsSchema = z.object({
  AssumeRolePolicyDocument: z.object({ Statement: z.array(z.catch(z.optional(trustSchema), undefined)) }),
});

/** Whether a service may assume a role, given the role's ARN. */
export const trusts = ({ all }: DeployedStacks, roleArn: string, service: string): boolean => {
  const role = all(roleType).find(({ attributes }) => attributes.Arn === roleArn);
  const { data } = trustsSchema.safeParse(role?.raw);
  const services = data?.AssumeRolePolicyDocument.Statement.flatMap((trust) => trust?.Principal.Service ?? []);
  return services?.includes(service) ?? false;
};

/** A function's caller: a route, and optionally the role of its integration. */
interface Call {
  routeKey: string;
  functionArn: string;
  credentialsArn: string | undefined;
}

/** Whether API Gateway may invoke a function for a route. */
export type MayInvoke = (apiId: string, call: Call) => boolean;

/** Whether a log may invoke a function, given its ARN. */
type MayDeliver = (logGroupArn: string, functionArn: string) => boolean;

/** Reads the permissions of logs. CloudFormation rejects a subscription without a permission. */
export const readDeliveryPermissions = (stacks: DeployedStacks): MayDeliver => {
  const permissions = permissionsOf(stacks, "logs.amazonaws.com");
  return (logGroupArn, functionArn) =>
    permissions.some(
      ({ FunctionName, SourceArn = "*" }) => FunctionName === functionArn && matchesPattern(SourceArn, logGroupArn),
    );
};

/**
 * Reads the permissions of routes. They come from the integration's role, or else from `AWS::Lambda::Permission` resources. In AWS,
 * a route without a permission responds with 500, which is easy to overlook in a template.
 */
export const readPermissions = (
  stacks: DeployedStacks,
  { environment, rightsOf }: { environment: AwsEnvironment; rightsOf: (roleArn: string) => Rights },
): MayInvoke => {
  const gateway = "apigateway.amazonaws.com";
  const permissions = permissionsOf(stacks, gateway);
  return (apiId, { routeKey, functionArn, credentialsArn }) => {
    if (credentialsArn !== undefined) {
      const rights = trusts(stacks, credentialsArn, gateway) ? rightsOf(credentialsArn) : [];
      return isAllowed(rights, "lambda:InvokeFunction", functionArn);
    }
    const [method = "", path = ""] = routeKey.split(" ");
    const source = arnOf(environment, "execute-api", `${apiId}/$default/${method === "ANY" ? "*" : method}${path}`);
    // Includes the alias if the ARN has one, because a permission for an alias doesn't apply to the function itself.
    const functionName = functionArn.split(":").slice(6).join(":");
    return permissions.some(
      ({ FunctionName, SourceArn = "*", SourceAccount = environment.accountId }) =>
        [functionArn, functionName].includes(FunctionName) &&
        SourceAccount === environment.accountId &&
        matchesPattern(SourceArn, source),
    );
  };
};

const permissionsOf = ({ read }: DeployedStacks, principal: string) =>
  read(permissionType)
    .map(({ properties }) => properties)
    .filter(({ Action, Principal }) => /^lambda:(\*|Invoke\*|InvokeFunction)$/.test(Action) && Principal === principal);

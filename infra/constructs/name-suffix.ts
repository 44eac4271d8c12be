import { Aws, Fn } from "aws-cdk-lib";

/**
 * The first part of the GUID in the id of the stack, for names that AWS does not generate: no other stack has the same one, in
 * this account or another, not even a new stack with the same name.
 */
export const nameSuffix = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));

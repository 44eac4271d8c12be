import { Aws, Fn } from "aws-cdk-lib";

/**
 * The first part of the GUID in the id of the stack, for names that AWS does not generate: no other stack shares it, in this
 * account or in another one, nor does a new stack that is created under the same name.
 */
export const nameSuffix = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));

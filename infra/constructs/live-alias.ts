import { Token } from "aws-cdk-lib";
import { Alias, type AliasProps, type IEventSource } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { CfnQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { OptionError } from "../stages/option-error.ts";

/** The visibility timeout of a queue that declares none. */
const usualSeconds = 30;

/** The alias that all callers of a function use. */
export class LiveAlias extends Alias {
  readonly #timeoutSeconds: number;

  constructor(scope: Construct, id: string, { timeoutSeconds, ...props }: AliasProps & { timeoutSeconds: number }) {
    super(scope, id, props);
    this.#timeoutSeconds = timeoutSeconds;
  }

  /** @throws {OptionError} if Lambda would reject the queue at the deployment, because its visibility timeout is too short */
  override addEventSource(source: IEventSource): void {
    if (source instanceof SqsEventSource) this.#checkQueue(source);
    super.addEventSource(source);
  }

  #checkQueue({ queue }: SqsEventSource): void {
    const { defaultChild } = queue.node;
    // A queue of another app has no such child.
    if (!(defaultChild instanceof CfnQueue)) return;
    const { visibilityTimeout = usualSeconds } = defaultChild;
    const needed = this.#timeoutSeconds;
    if (Token.isUnresolved(visibilityTimeout) || visibilityTimeout >= needed) return;
    throw new OptionError(
      `The visibility timeout of the queue ${queue.node.id} is ${visibilityTimeout} s, but ${this.lambda.node.id} may take ${needed} s. Declare a visibilityTimeout of at least Duration.seconds(${needed}).`,
    );
  }
}

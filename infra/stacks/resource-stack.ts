import { NestedStack } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { ILambdaApplication } from "aws-cdk-lib/aws-codedeploy";
import { Construct } from "constructs";
import type { ServiceNames } from "../../lambdas/declaration/service.ts";
import { addFunctions, type FunctionStackProps } from "../constructs/live-functions.ts";
import type { LiveFunction } from "../constructs/service-function.ts";
import { endpointRoutes } from "../constructs/service-routes.ts";
import { TrafficShift } from "../constructs/traffic-shift.ts";
import type { BundledFunction } from "../functions.ts";
import type { WatchedFunctions } from "../monitoring/dashboard.ts";
import type { Monitoring } from "../monitoring/monitoring.ts";

interface ResourceStackProps extends FunctionStackProps {
  service: ServiceNames;
  /** The endpoints of the resource, and their version check. */
  functions: readonly BundledFunction[];
  httpApi: HttpApi;
  monitoring: Monitoring | undefined;
  /** The application of the API's stack. All deployments belong to it. */
  application: ILambdaApplication | undefined;
}

/**
 * The maximum number of endpoints in a nested stack. CodeDeploy's role names each function twice, and the policies of a role are
 * limited to 10,240 characters. The next limit would be 500 resources per stack, of which each endpoint needs ten.
 */
const room = 36;

/**
 * A stack for the endpoints of one resource in one version of the API, such as `V1Shipments`. It is nested in the API's stack, so that
 * its endpoints are deployed and rolled back together with everything else, but it has its own template.
 */
export class ResourceStack extends NestedStack {
  /** The part of the stack that the dashboard shows. */
  readonly watched: WatchedFunctions | undefined;
  readonly functions: readonly LiveFunction[];

  constructor(
    scope: Construct,
    name: string,
    { service, functions, httpApi, monitoring, ...props }: ResourceStackProps,
  ) {
    const id = name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    super(scope, id, { description: `The endpoints ${name.replace("-", ", ")} of the ${service.title}.` });
    // A short id leaves room for the distinguishing part of the function names.
    this.nestedStackResource?.overrideLogicalId(id);
    const { live, check } = addFunctions(this, functions, props);
    this.functions = live;
    if (live.length > room) {
      throw new Error(
        `${name} has ${live.length} endpoints, but its stack has room for ${room}. Declare the new ones in a resource of their own: endpoints that are deployed must stay in their resource.`,
      );
    }
    endpointRoutes(this, { functions: live, httpApi });
    if (!monitoring) return;
    this.watched = monitoring.watch(new Construct(this, "Monitoring"), { title: name, functions: live });
    if (!check) return;
    new TrafficShift(this, "TrafficShift", {
      functions: this.watched.functions,
      check,
      isGradual: props.options.shiftTraffic,
      ...(props.application && { application: props.application }),
    });
  }
}

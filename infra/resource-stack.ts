import { NestedStack } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { ILambdaApplication } from "aws-cdk-lib/aws-codedeploy";
import { Construct } from "constructs";
import type { ServiceNames } from "../lambdas/declaration/service.ts";
import type { BundledFunction } from "./build/bundles/bundle-functions.ts";
import { addFunctions, type Surroundings } from "./constructs/live-functions.ts";
import { endpointRoutes } from "./constructs/service-routes.ts";
import { TrafficShift } from "./constructs/traffic-shift.ts";
import type { WatchedFunctions } from "./monitoring/dashboard.ts";
import type { Monitoring } from "./monitoring/monitoring.ts";

interface ResourceStackProps extends Surroundings {
  service: ServiceNames;
  /** The endpoints of the resource, and their version check. */
  functions: readonly BundledFunction[];
  httpApi: HttpApi;
  monitoring: Monitoring | undefined;
  /** The application of the API's stack, to which all deployments belong. */
  application: ILambdaApplication | undefined;
}

/**
 * How many endpoints a nested stack has room for. CodeDeploy's role names each function twice, and the policies of a role have
 * at most 10,240 characters. The next limit would be that of 500 resources, of which an endpoint has ten.
 */
const room = 36;

/**
 * The endpoints of one resource in one version of the API, such as `V1Orders`, nested in the API's stack: they are deployed and
 * rolled back together with everything else, but have a template of their own.
 */
export class ResourceStack extends NestedStack {
  /** What the dashboard shows of it. */
  readonly watched: WatchedFunctions | undefined;

  constructor(
    scope: Construct,
    name: string,
    { service, functions, httpApi, monitoring, ...props }: ResourceStackProps,
  ) {
    const id = name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    super(scope, id, { description: `The endpoints ${name.replace("-", ", ")} of the ${service.title}.` });
    // Instead of a long one, so that the names of its functions have room for what tells them apart.
    this.nestedStackResource?.overrideLogicalId(id);
    const { live, check } = addFunctions(this, functions, props);
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

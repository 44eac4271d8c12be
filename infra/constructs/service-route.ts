import { HttpRoute, type HttpRouteProps } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import type { Door } from "../stages/stage.ts";
import { explain } from "./rule-packs.ts";

interface ServiceRouteProps extends HttpRouteProps {
  /** What stands behind it. */
  door: Door;
}

/** A route of the service; one that has no authorizer says why. */
export class ServiceRoute extends HttpRoute {
  constructor(scope: Construct, { door, ...props }: ServiceRouteProps) {
    super(scope, props.routeKey.key, props);
    const reason = reasonsForNoAuthorizer[door];
    if (reason !== undefined) explain(this, { "AwsSolutions-APIG4": reason });
  }
}

const reasonsForNoAuthorizer: Readonly<Partial<Record<Door, string>>> = {
  endpoint:
    "The endpoint's own function verifies the token: an authorizer would be one more function to call, and could not tell a client why it is refused.",
  site: "Anybody may read the documentation and load the web interface, which holds nothing before its user has signed in.",
  fallback: "It answers what there is no route for, and there is nothing to be had there.",
};

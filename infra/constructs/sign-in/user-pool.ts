import { Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  AccountRecovery,
  CfnUserPool,
  CfnUserPoolGroup,
  CfnUserPoolUser,
  CfnUserPoolUserToGroupAttachment,
  FeaturePlan,
  Mfa,
  UserPool,
} from "aws-cdk-lib/aws-cognito";
import type { Construct } from "constructs";
import { explain } from "../rule-packs.ts";

interface AdminUserPoolProps {
  /** Protected from deletion, by mistake or with the stack. */
  keepsData: boolean;
  /** The address of the first Superuser, who is invited by mail. */
  superuserEmail?: string | undefined;
}

/** The admins of the service, in the groups `Admin` and `Superuser`. */
export class AdminUserPool extends UserPool {
  constructor(scope: Construct, id: string, { keepsData, superuserEmail }: AdminUserPoolProps) {
    super(scope, id, {
      selfSignUpEnabled: false,
      // Users sign in with a name, which is their address: the access token then names the actor in a form that admins recognise.
      signInAliases: { username: true },
      signInCaseSensitive: false,
      standardAttributes: { email: { required: true, mutable: true } },
      passwordPolicy: {
        minLength: 14,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(7),
      },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      // The plan that the managed login pages need.
      featurePlan: FeaturePlan.ESSENTIALS,
      userInvitation: {
        emailSubject: "Your account at the Integration API",
        emailBody:
          "<p>You can now administer the Integration API.</p><p>Your user name is <b>{username}</b>, and your password for the first login <b>{####}</b>. It is good for 7 days.</p>",
      },
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const resource = this.node.defaultChild;
    // A fixed logical id, which refactoring cannot change: CloudFormation would replace the pool with an empty one.
    if (resource instanceof CfnUserPool) resource.overrideLogicalId("UserPool");

    explain(this, {
      "AwsSolutions-COG2":
        "A second factor is offered. To require one is for the operator to decide, who can in the pool; a first Superuser without a phone could not sign in.",
      "AwsSolutions-COG8":
        "The Plus plan costs several times as much for each user, for risk scores of logins by a few invited people.",
    });

    const [, superusers] = ["Admin", "Superuser"].map(
      (groupName) => new CfnUserPoolGroup(this, `${groupName}Group`, { userPoolId: this.userPoolId, groupName }),
    );
    if (superuserEmail !== undefined && superusers) this.inviteSuperuser(superuserEmail, superusers);
  }

  /** The user stays if a later deployment leaves the option out. */
  private inviteSuperuser(email: string, superusers: CfnUserPoolGroup): void {
    const { userPoolId } = this;
    const user = new CfnUserPoolUser(this, "FirstSuperuser", {
      userPoolId,
      username: email,
      userAttributes: [
        { name: "email", value: email },
        { name: "email_verified", value: "true" },
      ],
      desiredDeliveryMediums: ["EMAIL"],
    });
    const membership = new CfnUserPoolUserToGroupAttachment(this, "FirstSuperuserGroup", {
      userPoolId,
      groupName: superusers.ref,
      username: user.ref,
    });
    for (const kept of [user, membership]) kept.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

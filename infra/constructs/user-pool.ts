import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { AccountRecovery, CfnUserPoolGroup, FeaturePlan, Mfa, UserPool } from "aws-cdk-lib/aws-cognito";
import type { Construct } from "constructs";
import { fixLogicalId } from "./lasting-resources.ts";
import { explain } from "./rule-packs.ts";

interface AdminUserPoolProps {
  /** The title of the service. */
  title: string;
  /** Protects the pool from accidental deletion and from deletion with the stack. */
  keepsData: boolean;
  /** Requires admins to sign in with an authenticator app. */
  requiresMfa: boolean;
}

/** The admins of the service, in the groups `Admin` and `Superuser`. Operators invite them: see docs/deploy.md. */
export class AdminUserPool extends UserPool {
  constructor(scope: Construct, id: string, { title, keepsData, requiresMfa }: AdminUserPoolProps) {
    super(scope, id, {
      selfSignUpEnabled: false,
      // The user name is the person's email address, so that the access token and every record identify the person.
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
      mfa: requiresMfa ? Mfa.REQUIRED : Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      // The plan that the managed login pages require.
      featurePlan: FeaturePlan.ESSENTIALS,
      userInvitation: {
        emailSubject: `Your account at the ${title}`,
        emailBody: `<p>You can now administer the ${title}.</p><p>Your user name is <b>{username}</b>, and your temporary password is <b>{####}</b>. It is valid for 7 days.</p>`,
      },
      deletionProtection: keepsData,
      // Not RETAIN_ON_UPDATE_OR_DELETE, because rolling back a failed creation would try to delete the protected pool, and fail.
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    fixLogicalId(this, "UserPool");

    explain(this, {
      "AwsSolutions-COG8":
        "The Plus plan costs several times as much for each user, for risk scores of logins by a few invited people.",
      ...(!requiresMfa && {
        "AwsSolutions-COG2": "The operator has chosen, by stage or option, that a second factor is optional.",
      }),
    });

    for (const groupName of ["Admin", "Superuser"]) {
      const group = new CfnUserPoolGroup(this, `${groupName}Group`, { userPoolId: this.userPoolId, groupName });
      // A pool that outlives its stack would be useless if its users belonged to no group.
      if (keepsData) group.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
  }
}

import { tokenPaths } from "../../../../../lambdas/shared/addresses.ts";

interface RedeemingCommand {
  name: string;
  /** The language in whose tab the documentation shows the command. */
  tab: "sh" | "powershell" | "ts" | "python";
  code: string;
  /** The client that the command needs. */
  client?: "TypeScript" | "Python";
}

/**
 * Returns the commands that redeem an invitation. Each prints the code while an admin has to confirm the address, and then stores
 * the token in token.json, which only the user can read. An error never overwrites a stored token. The dialog and the
 * documentation show the same commands. Without an invitation, they read it from the environment variable INVITATION.
 */
export const redeemingCommands = (baseUrl: string, invitation?: string): RedeemingCommand[] => [
  {
    name: "Shell",
    tab: "sh",
    code: `\
(umask 077; while curl -sS -X POST '${baseUrl}${tokenPaths.token}' -H 'Accept: application/json' \\
  -H "X-Token: ${invitation ?? "$INVITATION"}" -o response.json && grep '"code":"[A-Z0-9]*-' response.json; do sleep 5; done
grep -q '"token":' response.json && mv response.json token.json && echo 'The token is in token.json.' || cat response.json)`,
  },
  {
    name: "PowerShell",
    tab: "powershell",
    code: `\
& {
  $ErrorActionPreference = 'Stop'
  $headers = @{ 'Accept' = 'application/json'; 'X-Token' = "${invitation ?? "$env:INVITATION"}" }
  $call = @{ Method = 'Post'; Uri = '${baseUrl}${tokenPaths.token}'; Headers = $headers; MaximumRedirection = 0 }
  while (-not ($response = Invoke-RestMethod @call).token) {
    "Tell an admin: the address is $($response.ip), and the code is $($response.code)."
    Start-Sleep -Seconds 5
  }
  New-Item token.json -ItemType File -Force | Out-Null
  icacls token.json /inheritance:r /grant:r "$(whoami):F" | Out-Null
  if ($LASTEXITCODE) { throw 'token.json cannot be protected.' }
  $response | ConvertTo-Json | Set-Content token.json
  'The token is in token.json.'
}`,
  },
  {
    name: "Node.js",
    tab: "ts",
    client: "TypeScript",
    // Without --no, npx would install any package of this name from the registry.
    code: `echo ${invitation ?? "$INVITATION"} | npx --no integration-api-client enrol --url ${baseUrl} --file token.json`,
  },
  {
    name: "Python",
    tab: "python",
    client: "Python",
    code: `echo ${invitation ?? "$INVITATION"} | integration-api-client enrol --url ${baseUrl} --file token.json`,
  },
];

import { host, LocalError } from "cdk-local-runner";
import { escapeInvisible, eventOf, formatAnswer, sendToAdmin } from "./admin-command.ts";
import { readSettings } from "./settings.ts";

const usage = `Usage: npm run admin <action> [field=value …]

  npm run admin list limit=20
  npm run admin get token_id=01J…
  npm run admin issue ip=198.51.100.7 comment="billing sync" expires_at=2027-01-01T00:00:00Z
  npm run admin rotate token_id=01J… grace_seconds=3600
  npm run admin revoke token_id=01J…
  npm run admin usage token_id=01J… hours=24
  npm run admin reveal_key key_id=1234567

Sends the action to the admin function of the running service (npm start).
`;

const words = process.argv.slice(2);
try {
  if (words.length === 0) {
    process.stdout.write(usage);
  } else {
    const { port } = readSettings(process.env);
    const answer = await sendToAdmin(eventOf(words), `http://${host}:${port + 1}`);
    process.stdout.write(`${formatAnswer(answer)}\n`);
  }
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  process.stderr.write(`${escapeInvisible(error.message)}\n`);
  process.exitCode = 1;
}

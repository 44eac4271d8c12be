import Alert from "@cloudscape-design/components/alert";
import LiveRegion from "@cloudscape-design/components/live-region";
import type { Notice } from "../parts/app-context.ts";
import { PageLink } from "../parts/page-link.tsx";

interface NotificationProps {
  notice: Notice;
  onDismiss: () => void;
}

/** Says at the top of the page what was just done. */
export const Notification = ({ notice: { text, link }, onDismiss }: NotificationProps) => (
  <div className="message">
    <LiveRegion>
      <Alert type="success" dismissible onDismiss={onDismiss}>
        <span className="breakable">{text}</span> {link && <PageLink href={link.href}>{link.text}</PageLink>}
      </Alert>
    </LiveRegion>
  </div>
);

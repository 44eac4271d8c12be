import { Alert, LiveRegion } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Notice } from "../parts/app-context.tsx";
import { PageLink } from "../parts/links.tsx";
import { useIsOnline } from "../parts/online.ts";

interface NotificationProps {
  notice: Notice;
  onDismiss: () => void;
}

/** Says what was just done. */
export const Notification = ({ notice: { text, link }, onDismiss }: NotificationProps) => (
  <div className="message">
    <LiveRegion>
      <Alert type="success" dismissible onDismiss={onDismiss}>
        <span className="breakable">{text}</span> {link && <PageLink href={link.href}>{link.text}</PageLink>}
      </Alert>
    </LiveRegion>
  </div>
);

/** Says that the browser is offline, for as long as it is. What could not be loaded in the meantime is loaded afterwards. */
export const OfflineMessage = () => {
  const isOnline = useIsOnline();
  const client = useQueryClient();
  useEffect(() => {
    if (isOnline)
      client.refetchQueries({ type: "active", predicate: ({ state }) => state.error?.isUnreachable === true });
  }, [isOnline, client]);
  return (
    <LiveRegion>
      {!isOnline && (
        <div className="message">
          <Alert type="warning" header="You are offline">
            Nothing can be loaded or changed until you are connected again. The data on this page was loaded earlier.
          </Alert>
        </div>
      )}
    </LiveRegion>
  );
};

import Alert from "@cloudscape-design/components/alert";
import LiveRegion from "@cloudscape-design/components/live-region";

/** Says at the top of the page what was just done. */
export const Notification = ({ text, onDismiss }: { text: string; onDismiss: () => void }) => (
  <div className="notification">
    <LiveRegion>
      <Alert type="success" dismissible onDismiss={onDismiss}>
        {text}
      </Alert>
    </LiveRegion>
  </div>
);

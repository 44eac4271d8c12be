/** How long an invitation can work, in seconds: the service allows five minutes to seven days. */
export const validityPresets = [
  { value: "300", label: "5 minutes" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "259200", label: "3 days" },
  { value: "604800", label: "7 days" },
];

export const defaultValidity = "86400";

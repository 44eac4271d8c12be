/** The environment variables with the topic, the event bus, and the address of the service. */
export const topicVariable = "NOTICE_TOPIC_ARN";
export const busVariable = "NOTICE_BUS_NAME";
export const baseUrlVariable = "BASE_URL";

/** The source that the events name. */
export const eventSource = "integration-api";

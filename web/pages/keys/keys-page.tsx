/** The keys of the API. */
export const KeysPage = () => <title>API keys – Integration API</title>;

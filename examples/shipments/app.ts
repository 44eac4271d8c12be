import { serviceApp } from "integration-api/infra";
import { addLabels, onlyOnAws } from "./labels/labels.ts";
import { addPickups } from "./pickups/pickups.ts";
import { api } from "./service.ts";

const app = await serviceApp(api, { streams: ["shipments"], leaveOutLocally: onlyOnAws });
addLabels(app);
addPickups(app);

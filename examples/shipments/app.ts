import { serviceApp } from "integration-api/infra";
import { addLabels, onlyOnAws } from "./labels/labels.ts";
import { api } from "./service.ts";

addLabels(await serviceApp(api, { streams: ["shipments"], leaveOutLocally: onlyOnAws }));

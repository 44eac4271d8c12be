import { Duration } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { CfnPipe } from "aws-cdk-lib/aws-pipes";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { Universal } from "aws-cdk-lib/aws-scheduler-targets";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { ServiceApp } from "integration-api/infra";
import type { api } from "../service.ts";

/** The resources that only AWS has. A local run leaves them out. */
export const onlyOnAws = [
  ...["AWS::Lambda::EventSourceMapping", "AWS::Pipes::Pipe", "AWS::S3::Bucket", "AWS::S3::BucketPolicy"],
  ...["AWS::SQS::Queue", "IntegrationApi/NightlyExport"],
];

type App = ServiceApp<typeof api, "shipments">;

/** Prints a label for each new shipment, and exports all shipments every night. */
export const addLabels = (app: App): void => {
  const { stage, stacks, functions, jobs, tables } = app;
  const { shipments } = tables;
  const files = new Bucket(stacks.data, "Files", { enforceSSL: true });
  const failed = new Queue(stacks.data, "FailedLabels", { retentionPeriod: Duration.days(14) });
  const labels = new Queue(stacks.data, "Labels", { deadLetterQueue: { queue: failed, maxReceiveCount: 5 } });

  const role = new Role(stacks.api, "LabelsRole", { assumedBy: new ServicePrincipal("pipes.amazonaws.com") });
  const grants = [shipments.grantStreamRead(role), labels.grantSendMessages(role)];
  const pipe = new CfnPipe(stacks.api, "LabelsPipe", {
    roleArn: role.roleArn,
    source: shipments.tableStreamArn,
    sourceParameters: {
      dynamoDbStreamParameters: { startingPosition: "TRIM_HORIZON" },
      filterCriteria: { filters: [{ pattern: JSON.stringify({ eventName: ["INSERT", "MODIFY"] }) }] },
    },
    target: labels.queueArn,
    targetParameters: { inputTemplate: '{"shipment_id": <$.dynamodb.Keys.shipment_id.S>}' },
  });
  for (const grant of grants) grant.applyBefore(pipe);

  files.grantPut(jobs.printLabel, "labels/*");
  files.grantRead(functions.v1.getLabel, "labels/*");
  for (const one of [jobs.printLabel, functions.v1.getLabel])
    one.set("files_url", `https://${files.bucketRegionalDomainName}`);
  jobs.printLabel.alias.addEventSource(new SqsEventSource(labels, { batchSize: 1 }));

  // The export needs point-in-time recovery, which `dev` lacks.
  if (stage !== "dev") addNightlyExport(app, files);
};

const addNightlyExport = ({ stacks, tables }: App, files: Bucket): void => {
  const table = tables.shipments.tableArn;
  new Schedule(stacks.api, "NightlyExport", {
    schedule: ScheduleExpression.cron({ hour: "2", minute: "0" }),
    target: new Universal({
      service: "dynamodb",
      action: "exportTableToPointInTime",
      input: ScheduleTargetInput.fromObject({ TableArn: table, S3Bucket: files.bucketName, S3Prefix: "export" }),
      policyStatements: [
        new PolicyStatement({ actions: ["dynamodb:ExportTableToPointInTime"], resources: [table] }),
        new PolicyStatement({ actions: ["s3:PutObject"], resources: [files.arnForObjects("export/*")] }),
      ],
    }),
  });
};

import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

const s3 = new S3Client();

/**
 * Writes the label of each shipment: a bar code for a label printer. If this fails, the queue delivers the shipments again. A label
 * that exists already is written again.
 */
export const handler = async ({ Records }) => {
  for (const { body } of Records) {
    const { shipment_id } = JSON.parse(body);
    const Key = `labels/${shipment_id}`;
    const Body = `^XA^BY3^BCN,100^FD${shipment_id}^XZ`;
    await s3.send(new PutObjectCommand({ Bucket: process.env.BUCKET, Key, Body }));
  }
};

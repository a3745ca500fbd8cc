// The yardstick: a bare Express 5 application that reads JSON and answers with it, a process of its own.
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.use(express.json());
app.post('/v1/enforce', (req, res) => {
  res.json(req.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(0));

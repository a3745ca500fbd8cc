// The baseline of the benchmark: a bare Express 5 application, in its own process, that answers with the JSON it gets.
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.use(express.json());
app.post('/v1/enforce', (req, res) => {
  res.json(req.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  // The address of a server that listens on a port is an AddressInfo.
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(0));

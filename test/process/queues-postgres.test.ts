// The queues in BullMQ's own tables in PostgreSQL.
import { queueContract } from './queues-contract.ts';
import { postgresStore } from './queue-stores.ts';

queueContract('queues in PostgreSQL', undefined, postgresStore);

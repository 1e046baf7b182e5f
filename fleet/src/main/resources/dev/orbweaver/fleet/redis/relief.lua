-- When Redis is out of memory, it rejects a script whose first write could use more memory. A
-- script that starts with a deletion may continue; this one will free more than it uses.
redis.call('DEL', KEYS[1] .. ':nothing')

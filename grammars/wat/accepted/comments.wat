(module(; a comment ;)(memory 1);;another
(type (func))	(start 0)
(func))
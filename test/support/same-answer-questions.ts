/** Pairs of questions for different facts with the same answer: answer | question | question. */
export const DIFFERENT_PAIRS = `
Porsche | Which car manufacturer won the 2016 24 Hours of Le Mans? | Which car manufacturer won the 2017 24 Hours of Le Mans?
London | Which city hosted the 1908 Summer Olympics? | Which city hosted the 2012 Summer Olympics?
Denver Broncos | Which team won Super Bowl XXXII? | Which team won Super Bowl XXXIII?
Tom Hanks | Who won the Oscar for Best Actor in 1993? | Who won the Oscar for Best Actor in 1994?
Roger Federer | Who won the mens singles at Wimbledon in 2004? | Who won the men's singles at Wimbledon in 2005?
Katharine Hepburn | Who won the Best Actress Oscar in 1967? | Who won the Best Actress Oscar in 1981?
Michael Schumacher | Who won the Formula One championship in 2001? | Who won the Formula One championship in 2003?
Chicago Bulls | Which team won the NBA championship in 1991? | Which team won the NBA championship in 1996?
Pacific | What is the largest ocean on Earth? | What is the deepest ocean on Earth?
Mercury | Which planet is the smallest in the solar system? | Which planet is the closest to the sun in the solar system?
Jupiter | Which planet of the solar system has the Great Red Spot? | Which planet of the solar system has the largest mass?
Russia | Which country is the largest in Europe? | Which country is the largest in the world?
Vatican City | Which country has the smallest population in the world? | Which country has the smallest area in the world?
Brazil | Which country is the largest in South America? | Which country in South America has the most people who speak Portuguese?
Steven Spielberg | Who directed the film Jaws? | Who directed the film E.T.?
Steven Spielberg | Who directed Jurassic Park? | Who directed Schindlers List?
Quentin Tarantino | Who directed the 1994 film Pulp Fiction? | Who directed the 1992 film Reservoir Dogs?
Harrison Ford | Which actor played Han Solo in Star Wars? | Which actor played Indiana Jones in Raiders of the Lost Ark?
Johnny Depp | Who played Edward Scissorhands in Edward Scissorhands? | Who played Willy Wonka in Charlie and the Chocolate Factory?
Mike Myers | Who plays Austin Powers in the Austin Powers films? | Who plays Dr. Evil in the Austin Powers films?
Eddie Murphy | Who was the voice of Donkey in Shrek? | Who was the voice of Mushu in Mulan?
Jim Carrey | Who plays the title role in The Mask? | Who plays the title role in The Truman Show?
Charles Dickens | Who wrote Oliver Twist? | Who wrote Great Expectations?
Charles Dickens | Which author wrote A Tale of Two Cities? | Which author wrote A Christmas Carol?
William Shakespeare | Who wrote the play Hamlet? | Who wrote the play Macbeth?
George Orwell | Who is the author of Animal Farm? | Who is the author of Homage to Catalonia?
Agatha Christie | Which writer created Hercule Poirot? | Which writer created Miss Marple?
Stephen King | Who wrote the novel It? | Who wrote the novel The Shining?
The Beatles | Which band recorded the album Abbey Road? | Which band recorded the album Rubber Soul?
Queen | Which band recorded the song Bohemian Rhapsody? | Which band recorded the song We Will Rock You?
Madonna | Who sang Like a Virgin? | Who sang Like a Prayer?
Elton John | Who sang Rocket Man? | Who sang Tiny Dancer?
Michael Jackson | Who had a number one hit in 1983 with Billie Jean? | Who had a number one hit in 1983 with Beat It?
David Bowie | Which singer released Space Oddity? | Which singer released Starman?
Mozart | Who composed the opera Don Giovanni? | Who composed the opera The Magic Flute?
Beethoven | Who composed the Moonlight Sonata? | Who composed the Kreutzer Sonata?
Tchaikovsky | Which composer wrote the ballet Swan Lake? | Which composer wrote the ballet The Nutcracker?
Claude Monet | Who painted Water Lilies? | Who painted Impression, Sunrise?
Vincent van Gogh | Who painted The Starry Night? | Who painted The Potato Eaters?
Michelangelo | Who sculpted the statue of David? | Who painted the ceiling of the Sistine Chapel?
Leonardo da Vinci | Who painted the Mona Lisa? | Who painted The Last Supper?
Paris | What is the capital of France? | In which city is the Eiffel Tower?
Paris | Which city is home to the Louvre museum? | Which city is home to the Orsay museum?
London | In which city is Tower Bridge? | In which city is Trafalgar Square?
Rome | In which city is the Colosseum? | In which city is the Trevi Fountain?
Italy | In which country is Mount Vesuvius? | In which country is Mount Etna?
Italy | In which country is the city of Milan? | In which country is the city of Turin?
Euro | What is the currency of France? | What is the currency of Finland?
Peso | What is the currency of Mexico? | What is the currency of Chile?
Dollar | What is the unit of currency in Australia? | What is the unit of currency in New Zealand?
Spanish | What is the official language of Peru? | What is the official language of Argentina?
Portuguese | What is the official language of Brazil? | What is the official language of Angola?
Arabic | What language is spoken in Egypt? | What language is spoken in Jordan?
Africa | On which continent is Chad? | On which continent is Togo?
Asia | In which continent would you find Laos? | In which continent would you find Nepal?
4 | How many strings does a violin have? | How many strings does a ukulele have?
4 | How many sides does a square have? | How many sides does a trapezoid have?
8 | How many legs does a spider have? | How many legs does a scorpion have?
8 | How many arms does an octopus have? | How many pints are in a gallon?
6 | How many legs does an ant have? | How many legs does a beetle have?
11 | How many players are there in a cricket team? | How many players are there in a hockey team?
5 | How many players are on a basketball team? | How many players are on a futsal team?
12 | How many months are in a year? | How many inches are in a foot?
24 | How many hours are there in a day? | How many time zones are there in the world?
7 | How many colors are there in a rainbow? | How many days are there in a week?
2 | How many wings does a bird have? | How many humps does a Bactrian camel have?
3 | How many hearts does an octopus have? | How many hearts does a squid have?
1969 | In which year did man first walk on the Moon? | In which year was the Woodstock festival held?
1945 | In which year did World War II end? | In which year was the United Nations founded?
1989 | In what year did the Berlin Wall fall? | In what year was Taylor Swift born?
1066 | In what year was the Battle of Hastings? | In what year was the Battle of Stamford Bridge?
1912 | In which year did the Titanic sink? | In which year did New Mexico become a US state?
1776 | In what year was the Declaration of Independence signed? | In what year was Adam Smiths The Wealth of Nations published?
1918 | In which year did the First World War end? | In which year did the Spanish flu pandemic begin?
1865 | In what year did the American Civil War end? | In what year was Alices Adventures in Wonderland published?
George Washington | Who was the first president of the United States? | Whose face is on the one dollar bill of the United States?
Abraham Lincoln | Which US president is on the five dollar bill? | Which US president is on the penny?
Franklin Roosevelt | Which US president was elected four times? | Which US president started the New Deal?
Richard Nixon | Which US president resigned? | Which US president was born in Yorba Linda?
John F Kennedy | Which US president was the youngest ever elected? | Which US president was shot in Dallas?
Winston Churchill | Which prime minister won the Nobel Prize in Literature? | Which prime minister was born in Blenheim Palace?
Margaret Thatcher | Who was the first female prime minister of Britain? | Who was prime minister of Britain during the Falklands War?
Henry VIII | Which English king founded the Church of England? | Which English king had six wives?
Elizabeth I | Which English queen was the daughter of Anne Boleyn? | Which English queen was known as the Virgin Queen?
Napoleon | Which French emperor was defeated at Waterloo? | Which French emperor was born in Corsica?
Julius Caesar | Which Roman general crossed the Rubicon? | Which Roman general conquered Gaul?
Cleopatra | Which queen of Egypt was the lover of Mark Antony? | Which queen of Egypt died in 30 BC?
Alexander the Great | Who was the king of Macedon who conquered Persia? | Who was the king of Macedon taught by Aristotle?
Zeus | Who is the father of Athena in Greek mythology? | Who is the father of Apollo in Greek mythology?
Zeus | Who is the king of the gods in Greek mythology? | Who is the brother of Poseidon in Greek mythology?
Athena | Who is the Greek goddess of wisdom? | Who is the Greek goddess of weaving?
Apollo | Who is the Greek god of music? | Who is the Greek god of archery?
Mercury | What is the Roman name of the god Hermes? | What is the only metal that is liquid at room temperature?
Mars | Who is the Roman god of war? | Which planet is named after the Roman god of war?
Iron | Which metal has the chemical symbol Fe? | Which metal is the main component of steel?
Oxygen | Which element has the symbol O? | Which element has the atomic number 8?
Helium | Which gas is used to fill balloons? | Which gas has the atomic number 2?
Hydrogen | Which is the lightest element? | Which is the most abundant element in the universe?
Carbon | Which element are diamonds made of? | Which element has the atomic number 6?
Gold | Which metal has the chemical symbol Au? | Which metal is measured in carats?
Nitrogen | Which gas makes up most of the air? | Which gas is used in liquid form to freeze warts?
Isaac Newton | Who discovered the law of gravity? | Who discovered that white light is made of colours?
Albert Einstein | Who developed the theory of general relativity? | Who developed the theory of the photoelectric effect?
Marie Curie | Who won the Nobel Prize in Physics in 1903? | Who won the Nobel Prize in Chemistry in 1911?
Galileo | Who discovered the moons of Jupiter? | Who discovered the phases of Venus?
Liver | Which organ of the human body produces bile? | Which organ of the human body is affected by cirrhosis?
Heart | Which organ pumps blood around the body? | Which organ has a mitral valve?
Femur | What is the longest bone in the human body? | What is the strongest bone in the human body?
Lungs | Which organs are affected by pneumonia? | Which organs are affected by emphysema?
Vitamin C | Which vitamin prevents scurvy? | Which vitamin is ascorbic acid?
Cheetah | Which is the fastest land animal? | Which is the only big cat that cannot retract its claws?
Elephant | What is the largest land animal? | What is the only land animal that cannot jump?
Giraffe | Which animal has the longest neck? | Which animal has the highest blood pressure?
Whale | Which animal is the largest mammal? | Which animal does ambergris come from?
Bat | What is the only mammal that can fly? | Which mammal is nicknamed the flying fox?
Ostrich | Which is the largest bird in the world? | Which is the fastest running bird in the world?
Hummingbird | Which is the smallest bird in the world? | Which is the only bird that can fly backwards?
Dog | What animal is Scooby Doo? | What animal is Snoopy?
Cat | What kind of animal is Garfield? | What kind of animal is Felix?
Rabbit | What kind of animal is Bugs in Looney Tunes? | What kind of animal is Thumper in Bambi?
Nile | What is the longest river in Africa? | What river flows through Cairo?
Thames | Which river flows through London? | Which river flows through Oxford?
Rhine | Which river flows through Cologne? | Which river flows through Basel?
Amazon | What is the longest river in South America? | What is the largest river in the world by volume of water?
Everest | What is the highest mountain in the world? | What is the highest mountain in Nepal?
Alaska | Which US state is the largest? | Which US state has the longest coastline?
California | Which US state has the largest population? | Which US state has the most national parks?
Texas | Which US state has the city of Houston? | Which US state has the city of Dallas?
Florida | In which US state is Miami? | In which US state is Tampa?
Hawaii | What was the last state to join the United States? | What is the only state of the United States that grows coffee?
Canada | Which country has the longest coastline in the world? | Which country has the most lakes in the world?
Australia | Which country is also a continent? | Which country has the most kangaroos?
China | Which country has the Great Wall? | Which country has the giant panda?
Japan | In which country did sushi originate? | In which country did sumo wrestling originate?
France | Which country won the 1998 World Cup? | Which country hosted the 1998 World Cup?
Germany | Which country won the 1990 FIFA World Cup? | Which country hosted the 2006 FIFA World Cup?
Brazil | Which country won the 1958 World Cup? | Which country won the 1962 World Cup?
Greece | Which country hosted the first modern Olympics? | Which country won the 2004 European football championship?
Pele | Which footballer won three World Cups? | Which footballer was born Edson Arantes do Nascimento?
Tiger Woods | Which golfer won the 1997 Masters? | Which golfer was born Eldrick?
Muhammad Ali | Which boxer won the Rumble in the Jungle? | Which boxer won the Thrilla in Manila?
Tennis | In which sport is the term love used? | In which sport is the Davis Cup contested?
Golf | In which sport is the Ryder Cup contested? | In which sport is the Solheim Cup contested?
Baseball | Which sport did Babe Ruth play? | Which sport did Joe DiMaggio play?
Green | What color is an emerald? | What color is a male mallards head?
Red | What colour is a ruby? | What colour is the cross on the flag of England?
Yellow | What color is the middle stripe of the flag of Belgium called? | What color is the jersey of the leader of the Tour de France?
Blue | What color is the circle on the flag of India? | What color is the cross on the flag of Finland?
Potato | Which vegetable is used to make vodka? | Which vegetable is used to make gnocchi?
Rum | Which spirit is used in a mojito? | Which spirit is used in a daiquiri?
Vodka | Which spirit is used in a Bloody Mary? | Which spirit is used in a White Russian?
Gin | What is the main spirit in a Negroni? | What is the main spirit in a Tom Collins?
Italy | Which country does pizza come from? | Which country does gorgonzola cheese come from?
Nintendo | Which company made the Game Boy? | Which company made the Wii?
Apple | Which company makes the iPhone? | Which company makes the iPad?
Microsoft | Which company developed Windows? | Which company developed the Xbox?
Sega | Which company developed Sonic the Hedgehog? | Which company developed the Dreamcast?
Thomas Edison | Who invented the phonograph? | Who invented the light bulb?
True | The capital of Norway is Oslo. | The capital of Sweden is Stockholm.
False | A tomato is a vegetable. | A peanut is a nut vegetable.
True | Alaska is the largest state in the United States. | Alaska is the northernmost state in the United States.
False | The Great Wall of China is visible from the Moon. | The Great Wall of China was built by one emperor.
Homer Simpson | Who is the father of Bart in The Simpsons? | Who works at the nuclear plant in The Simpsons?
Jennifer Aniston | Who played Rachel in Friends? | Who played the girlfriend of Jim Carrey in Bruce Almighty?
Sean Connery | Who played James Bond in Dr. No? | Who played James Bond in Goldfinger?
Roger Moore | Which actor played James Bond in Moonraker? | Which actor played James Bond in Octopussy?
Kevin Bacon | Who plays the lead role in Footloose? | Who plays the lead role in Tremors?
Tom Cruise | Who played the lead in the film Top Gun? | Who played the lead in the film Jerry Maguire?
Meryl Streep | Who starred in The Devil Wears Prada? | Who starred in Sophies Choice?
Frodo | Who carries the ring to Mordor in The Lord of the Rings? | Who is the nephew of Bilbo in The Lord of the Rings?
Hermione Granger | Which character has a cat called Crookshanks in Harry Potter? | Which character has parents who are dentists in Harry Potter?
Severus Snape | Who teaches Potions at Hogwarts in the first Harry Potter book? | Who kills Dumbledore in the sixth Harry Potter book?
Darth Vader | Who is the father of Luke Skywalker in Star Wars? | Who kills Obi-Wan Kenobi in Star Wars?
`;
